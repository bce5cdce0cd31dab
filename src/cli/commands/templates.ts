import {readFile} from 'node:fs/promises';
import type {Command} from 'commander';
import {type SendProvider, sendProviders} from '../../contract/constants.js';
import {templateFields, templateSummaryFields} from '../../contract/field-names.js';
import type {TemplateSummaryBody} from '../../contract/templates.js';
import type {Context} from '../context.js';
import {addExamples, type JsonFlag, jsonOption} from '../options.js';
import {usageError} from '../output/exit.js';
import {note, printResult} from '../output/print.js';
import {type TableColumn, timeColumn} from '../output/table.js';
import {fillList} from './list-show-delete.js';

export function addTemplatesCommands(templates: Command, context: Context): void {
	addPut(templates, context);
	addList(templates, context);
	addDelete(templates, context);
}

type PutFlags = JsonFlag & {
	readonly subject?: string;
	readonly text?: string;
	readonly html?: string;
	readonly fallback?: Readonly<Record<string, string>>;
};

function addPut(templates: Command, {io, api}: Context): void {
	const command = templates.command('put').description('create or replace a template');
	addNames(
		addExamples(
			command,
			'tinbox templates put sendgrid d-4f2a --html welcome.html',
			'tinbox templates put resend welcome --html hello.html --fallback NAME=Ann',
		),
	)
		.option('--subject <template>', 'subject')
		.option('--text <file>', 'file with the plain text')
		.option('--html <file>', 'file with the HTML')
		.option('--fallback <name=value>', 'default for a variable without a value (Resend); repeatable', readFallback)
		.addOption(jsonOption(templateFields))
		.action(async (provider: SendProvider, id: string, {subject, text, html, fallback, json}: PutFlags) => {
			const [textBody, htmlBody] = await Promise.all(
				[text, html].map(async file => (file === undefined ? undefined : readFile(file, 'utf8'))),
			);
			const client = await api();
			const body = {subject, text: textBody, html: htmlBody, fallback_values: fallback};
			const template = await client.templates.put(provider, id, body);
			printResult(io, template, template.id, json);
		});
}

function readFallback(text: string, others: PutFlags['fallback'] = {}): Readonly<Record<string, string>> {
	const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
	if (name === undefined || value === undefined) {
		throw usageError(`--fallback must be a name, "=" and a value, got "${text}".`);
	}

	return {...others, [name]: value};
}

function addNames(command: Command): Command {
	return command
		.addArgument(command.createArgument('<provider>', 'sending API of the template').choices(sendProviders))
		.argument('<template>', 'template id or name that the app sends');
}

function addList(templates: Command, context: Context): void {
	fillList(templates.command('list').description('list templates'), context, {
		fields: templateSummaryFields,
		columns,
		async load() {
			const body = await (await context.api()).templates.list();
			const none = 'There are no templates yet. Create one: tinbox templates put <provider> <template> --html <file>';
			return {rows: body.templates, body, none};
		},
	});
}

const columns: readonly TableColumn<TemplateSummaryBody>[] = [
	{header: 'PROVIDER', value: ({provider}) => provider},
	{header: 'TEMPLATE', value: ({id}) => id, flexible: true},
	{header: 'SUBJECT', value: ({subject}) => subject ?? '', flexible: true},
	{header: 'PARTS', value: ({parts}) => parts.join(',')},
	timeColumn('CREATED', ({created_at}) => created_at),
];

function addDelete(templates: Command, {io, api}: Context): void {
	addNames(templates.command('delete').description('delete a template')).action(
		async (provider: SendProvider, id: string) => {
			await (await api()).templates.delete(provider, id);
			note(io, `Deleted the template ${id} of ${provider}.`);
		},
	);
}
