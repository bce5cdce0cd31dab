import {InvalidArgumentError, Option} from 'commander';
import {ApiError} from '../../../client/errors.js';
import type {Client} from '../../../client/index.js';
import type {MessageBody, MessageFilter} from '../../../contract/messages.js';
import {sanitizeLine, sanitizeText} from '../../../lib/text/sanitize.js';
import {Exit, exitCodes} from '../../output/exit.js';

/** What `--field` can print. */
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

/** A value to print; of the links, only one that fits the pattern; of a template's data, what is there at the end of a path. */
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

/** What a message must have for its codes and links to be printed. */
export function fieldFilter(fields: readonly Field[] = []): Pick<MessageFilter, 'has' | 'link'> {
	const bare = fields.filter(field => 'name' in field);
	const has = bare.flatMap(({name, link}) => (link === undefined && (name === 'code' || name === 'link') ? name : []));
	const links = bare.flatMap(({link = []}) => link);
	return {
		...(has.length > 0 && {has: [...new Set(has)]}),
		...(links.length > 0 && {link: [...new Set(links)]}),
	};
}

/**
 * Values of a message, safe to print, each on a line of its own; several of one field are lines, too. Throws `Exit` for what
 * the message does not have.
 */
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
	let value: unknown = await messages.request(message.inbox_id, message.id).then(
		({data}) => data,
		error => {
			if (!(error instanceof ApiError && error.status === 404)) {
				throw error;
			}
		},
	);
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
