import {readFile} from 'node:fs/promises';
import {type Command, Option} from 'commander';
import {type SendProvider, sendProviders} from '../../contract/send.js';
import {type TemplateSummaryBody, templateFields, templateSummaryFields} from '../../contract/templates.js';
import type {Context} from '../context.js';
import {addExamples, type JsonFlag, jsonOption} from '../options.js';
import {usageError} from '../output/exit.js';
import {note, printResult} from '../output/print.js';
import {type TableColumn, timeColumn} from '../output/table.js';
import {fillList} from './verbs.js';

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
	const command = templates
		.command('put')
		.description('register a template, or replace it: mail that names it is filled in with its data');
	addNames(
		addExamples(
			command,
			"tinbox templates put sendgrid d-4f2a --subject 'Hello {{name}}' --html welcome.html",
			'tinbox templates put resend welcome --html welcome.html --fallback NAME=there',
		),
	)
		.option('--subject <template>', 'its subject')
		.option('--text <file>', 'the file with its text')
		.option('--html <file>', 'the file with its HTML')
		.addOption(
			new Option(
				'--fallback <name=value>',
				'what stands for a variable without a value (Resend); may be repeated',
			).argParser(readFallback),
		)
		.addOption(jsonOption(templateFields))
		.action(async (provider: SendProvider, id: string, {subject, text, html, fallback, json}: PutFlags) => {
			const [textBody, htmlBody] = await Promise.all([read(text), read(html)]);
			const client = await api();
			const body = {subject, text: textBody, html: htmlBody, fallback_values: fallback};
			const template = await client.templates.put(provider, id, body);
			printResult(io, template, template.id, json);
		});
}

async function read(file: string | undefined): Promise<string | undefined> {
	return file === undefined ? undefined : readFile(file, 'utf8');
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
		.addArgument(command.createArgument('<provider>', 'whose template it is').choices(sendProviders))
		.argument('<template>', 'the id or name by which the app sends it');
}

function addList(templates: Command, context: Context): void {
	fillList(templates.command('list').description('list the templates that are registered'), context, {
		fields: templateSummaryFields,
		columns,
		async load() {
			const body = await (await context.api()).templates.list();
			const none = 'There is no template yet. Register one: tinbox templates put <provider> <template> --html <file>';
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
