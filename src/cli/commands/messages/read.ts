import {stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {type Command, InvalidArgumentError, Option} from 'commander';
import {ignoreNotFound} from '../../../client/errors.js';
import type {Client} from '../../../client/index.js';
import {latest} from '../../../contract/constants.js';
import {addressFields, describeSession} from '../../../contract/descriptions.js';
import {fullMessageFields} from '../../../contract/field-names.js';
import type {FullMessageBody, MessageBody, MessageFilter} from '../../../contract/messages.js';
import {errorCode} from '../../../lib/errors.js';
import {mailboxList, safeFileName, sanitizeLine, sanitizeText} from '../../../lib/text/sanitize.js';
import {formatSize} from '../../../lib/text/units.js';
import type {Context} from '../../context.js';
import {addHomeFlag} from '../../control/home-flag.js';
import {findMessage} from '../../find.js';
import {addExamples, type JsonFlag, jsonOption} from '../../options.js';
import {Exit, exitCodes, notFound} from '../../output/exit.js';
import {printJson, printLine} from '../../output/print.js';
import {addBrowserFlag, type BrowserFlag, showPage} from '../../show-page.js';

export function addShow(messages: Command, context: Context): void {
	addHomeFlag(addMessageArguments(messages.command('show').description('show a message')), context)
		.addOption(fieldOption().conflicts('json'))
		.addOption(jsonOption(fullMessageFields))
		.action(async (inbox: string, message: string, {json, field}: JsonFlag & {readonly field?: readonly Field[]}) => {
			const {io} = context;
			const {client, inboxId, id} = await findMessage(context, inbox, message);
			const body = await client.messages.get(inboxId, id);
			if (field) {
				io.stdout.write(`${await readFields(client, body, field)}\n`);
			} else if (json) {
				printJson(io, body, json);
			} else {
				io.stdout.write(`${forPeople(body)}\n`);
			}
		});
}

/** Help text of the message argument. */
export const messageArgument = 'id or the end of an id, or "latest"';

/** Adds the inbox and message arguments; the default message is the newest. */
export function addMessageArguments(command: Command): Command {
	return command.argument('<inbox>', 'id, address or name').argument('[message]', messageArgument, latest);
}

/** Header fields, attachments and warnings, followed by the text. */
function forPeople(message: FullMessageBody): string {
	const {subject, received_at, session, attachments, warnings, text} = message;
	const head = [
		...addressFields(message).map(([label, mailboxes]) => `${label}: ${mailboxList(mailboxes)}`),
		`Subject: ${subject}`,
		`Received: ${received_at}`,
		...(session ? [`Session: ${describeSession(session)}`] : []),
		...attachments.map(
			({id, filename, content_type, size}) =>
				`Attachment ${id}: ${filename || '(no name)'} (${content_type}, ${formatSize(size)})`,
		),
		...warnings.map(warning => `Warning: ${warning}`),
	];
	return [...head.map(sanitizeLine), '', sanitizeText(text).trimEnd()].join('\n');
}

export function addOpen(messages: Command, context: Context): void {
	const command = messages.command('open').description('show a message in the browser and print the URL');
	addBrowserFlag(addMessageArguments(command), 'valid for ten minutes').action(
		async (inbox: string, message: string, flag: BrowserFlag) => {
			const {client, inboxId, id} = await findMessage(context, inbox, message);
			const {url} = await client.messages.preview(inboxId, id);
			await showPage(context, url, flag);
		},
	);
}

export function addRaw(messages: Command, context: Context): void {
	const command = messages.command('raw').description('print the source of a message');
	addHomeFlag(addMessageArguments(command), context).action(async (inbox: string, message: string) => {
		const {stdout} = context.io;
		const {client, inboxId, id} = await findMessage(context, inbox, message);
		const source = await client.messages.raw(inboxId, id);
		// On a terminal, control characters would be interpreted.
		stdout.write(stdout.isTTY ? sanitizeText(source.toString()) : source);
	});
}

/** Values of `--field` without a parameter. */
const bareFields = [
	'code',
	'link',
	'subject',
	'text',
	'html',
	'id',
	'from',
	'from_name',
	'to',
	'cc',
	'reply_to',
	'date',
	'message_id',
	'size',
	'received_at',
] as const;

type BareField = (typeof bareFields)[number];

/** Value to print: a field, a link that matches a pattern, or template data at a path. */
export type Field = {readonly name: BareField; readonly link?: string} | {readonly data: readonly string[]};

export function fieldOption(): Option {
	return new Option(
		'--field <name>',
		"print one value; 'link[<pattern>]' selects a link, 'data.<key>' template data; repeatable",
	)
		.choices(bareFields)
		.argParser((text, others: readonly Field[] = []) => [...others, parseField(text)]);
}

function parseField(text: string): Field {
	const [first, ...path] = text.split('.');
	if (first === 'data' && path.length > 0) {
		return {data: path};
	}

	const [, link] = /^link\[(.+)\]$/s.exec(text) ?? [];
	const name = link === undefined ? bareFields.find(known => known === text) : 'link';
	if (name === undefined) {
		throw new InvalidArgumentError(
			`There is no field "${text}". The fields are: ${bareFields.join(', ')}, data.<key>.`,
		);
	}

	return {name, ...(link !== undefined && {link})};
}

/** Filter for messages that have the codes and links to print. */
export function fieldFilter(fields: readonly Field[] = []): Pick<MessageFilter, 'has' | 'link'> {
	const bare = fields.filter(field => 'name' in field);
	const has = bare.flatMap(({name, link}) => (link === undefined && (name === 'code' || name === 'link') ? name : []));
	const links = bare.flatMap(({link = []}) => link);
	return {
		...(has.length > 0 && {has: [...new Set(has)]}),
		...(links.length > 0 && {link: [...new Set(links)]}),
	};
}

/** Values of a message without control characters, one per line. Throws `Exit` if the message lacks one of them. */
export async function readFields(
	client: Pick<Client, 'messages'>,
	message: MessageBody,
	fields: readonly Field[],
): Promise<string> {
	const values = [];
	for (const field of fields) {
		values.push(await ('data' in field ? readData(client, message, field.data) : readField(client, message, field)));
	}

	return values.join('\n');
}

async function readField(
	{messages}: Pick<Client, 'messages'>,
	message: MessageBody,
	{name, link}: Exclude<Field, {readonly data: unknown}>,
): Promise<string> {
	const {links} = link === undefined ? message : await messages.get(message.inbox_id, message.id, {link});
	const value = name === 'code' ? message.codes[0] : name === 'link' ? links[0]?.url : message[name];
	if (value === undefined || value === null) {
		throw lacks(message, `${name}${link === undefined ? '' : ` that matches ${link}`}`);
	}

	const lines = typeof value === 'object' ? value : [String(value)];
	return lines.map(name === 'text' || name === 'html' ? sanitizeText : sanitizeLine).join('\n');
}

async function readData(
	{messages}: Pick<Client, 'messages'>,
	message: MessageBody,
	path: readonly string[],
): Promise<string> {
	const request = await messages.request(message.inbox_id, message.id).catch(ignoreNotFound);
	let value: unknown = request?.data;
	for (const key of path) {
		value =
			typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
	}

	if (value === undefined || value === null) {
		throw lacks(message, ['data', ...path].join('.'));
	}

	return sanitizeLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Limits for the excerpt of a message in an error. */
const shown = {links: 10, characters: 200};

function lacks({inbox_id, id, subject, text, codes, links}: MessageBody, what: string): Exit {
	const found = [
		`The message "${subject}" has no ${what}.`,
		...(codes.length > 0 ? [`Codes: ${codes.join(', ')}`] : []),
		...(links.length > 0 ? ['Links:'] : []),
		...links.slice(0, shown.links).map(link => `  ${link.url}${link.text === '' ? '' : ` (${link.text})`}`),
		`Text: ${text.trim().slice(0, shown.characters)}`,
	];
	return new Exit(exitCodes.conditionFailed, 'not_in_message', found.map(sanitizeLine).join('\n'), {
		hint: `Read it: tinbox messages show ${inbox_id} ${id}`,
		details: {codes, links},
	});
}

type SaveFlags = {
	readonly attachment?: string;
	readonly output?: string;
	readonly force?: boolean;
};

export function addSave(messages: Command, context: Context): void {
	const command = messages.command('save').description('save a message or an attachment and print the file name');
	addHomeFlag(
		addMessageArguments(
			addExamples(
				command,
				'tinbox messages save signup',
				'tinbox messages save signup --attachment invoice.pdf --output /tmp',
			),
		),
		context,
	)
		.option('--attachment <attachment>', 'attachment number or file name (default: the message)')
		.option('-o, --output <path>', 'file or folder (default: the current folder)')
		.option('-f, --force', 'overwrite an existing file')
		.action(async (inbox: string, message: string, flags: SaveFlags) => save(inbox, message, flags, context));
}

async function save(inbox: string, message: string, flags: SaveFlags, context: Context): Promise<void> {
	const {attachment, output, force = false} = flags;
	const {client, inboxId, id} = await findMessage(context, inbox, message);
	const {name, bytes} =
		attachment === undefined
			? {name: safeFileName(`${id}.eml`, 'message.eml'), bytes: await client.messages.raw(inboxId, id)}
			: await fetchAttachment(client, inboxId, id, attachment);
	const file = await targetOf(output, name);
	await write(file, bytes, force);
	printLine(context.io, file);
}

async function fetchAttachment({messages}: Client, inboxId: string, messageId: string, wanted: string) {
	const {attachments} = await messages.get(inboxId, messageId);
	const found = attachments.find(({id}) => id === wanted) ?? attachments.find(({filename}) => filename === wanted);
	if (!found) {
		const known = attachments.map(({id, filename}) => `  ${id}  ${filename}`).join('\n');
		throw notFound(
			`The message has no attachment "${wanted}".`,
			known === '' ? 'It has no attachments.' : `Its attachments:\n${known}`,
		);
	}

	return {
		name: safeFileName(found.filename, `attachment-${found.id}`),
		bytes: await messages.attachment(inboxId, messageId, found.id),
	};
}

/** Path to write to. The folder comes from the user only; `name`, from the mail, is used as a file name. */
async function targetOf(output: string | undefined, name: string): Promise<string> {
	if (output === undefined) {
		return name;
	}

	const isFolder = output.endsWith(path.sep) || (await stat(output).catch(() => undefined))?.isDirectory();
	return isFolder ? path.join(output, name) : output;
}

async function write(file: string, bytes: Uint8Array, force: boolean): Promise<void> {
	// Readable only by the owner, like the files of an export.
	await writeFile(file, bytes, {flag: force ? 'w' : 'wx', mode: 0o600}).catch(error => {
		throw errorCode(error) === 'EEXIST'
			? new Exit(exitCodes.failed, 'file_exists', `The file "${file}" already exists.`, {
					hint: 'Overwrite it with --force, or choose another file with --output.',
				})
			: error;
	});
}
