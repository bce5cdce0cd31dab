import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {buffer} from 'node:stream/consumers';
import type {Command} from 'commander';
import {fieldsOf} from '../../contract/field-names.js';
import type {SentBySmtp} from '../connect/smtp-client.js';
import {findServer, mailingsTo, type ServerFlags} from '../connect/smtp-server.js';
import type {Context} from '../context.js';
import {findInbox} from '../find.js';
import {addExamples, collect, type JsonFlag, jsonOption} from '../options.js';
import {usageError} from '../output/exit.js';
import {note, printJsonOr} from '../output/print.js';

type SendFlags = JsonFlag &
	ServerFlags & {
		readonly from: string;
		readonly cc?: readonly string[];
		readonly subject?: string;
		readonly text?: string;
		readonly html?: string;
		readonly header?: readonly string[];
		readonly attach?: readonly string[];
		readonly raw?: boolean;
	};

const fields = fieldsOf<SentBySmtp>()('from to message_id');

export function fillSend(command: Command, context: Context): void {
	addExamples(
		command,
		'tinbox send signup@tinbox.test --subject Hello --text "Your code: 4711"',
		"tinbox send signup --attach invoice.pdf --header 'Reply-To: shop@example.com'",
		'tinbox send signup --raw < mail.eml',
	)
		.argument('<inbox...>', 'recipients: addresses, or ids or names of inboxes')
		.option('--from <address>', 'sender', 'hello@tinbox.test')
		.option('--cc <inbox>', 'recipient of a copy; repeatable', collect)
		.option('--subject <text>', 'subject (default: "Test message")')
		.option('--text <text>', 'plain-text body; "-" reads stdin')
		.option('--html <html>', 'HTML body')
		.option('--header <name: value>', 'additional header field; repeatable', collect)
		.option('--attach <file...>', 'files to attach')
		.option('--raw', 'send the complete mail from stdin unchanged')
		.option('--server <host:port>', 'SMTP server (default: the daemon)')
		.option('--user <user:password>', 'SMTP login (default: the login that the daemon requires)')
		.addOption(jsonOption(fields))
		.action(async (to: readonly string[], flags: SendFlags) => send(to, flags, context));
}

async function send(recipients: readonly string[], flags: SendFlags, context: Context): Promise<void> {
	const addresses = async (texts: readonly string[]) => Promise.all(texts.map(text => addressOf(text, context)));
	const [to, cc] = [await addresses(recipients), await addresses(flags.cc ?? [])];
	const mail = flags.raw ? {raw: await readRaw(flags, context)} : await compose(flags, {to, cc}, context);
	const server = await findServer(flags, context);
	const {sendMail} = await import('../connect/smtp-client.js');
	const all: SentBySmtp[] = [];
	for (const mailing of await mailingsTo([...to, ...cc], server, context)) {
		all.push(await sendMail(mailing.server, {...mail, envelope: {from: flags.from, to: [...mailing.to]}}));
	}

	const sent = {from: flags.from, to: all.flatMap(({to}) => to), message_id: all[0]?.message_id ?? ''};
	printJsonOr(context.io, sent, flags.json, () => note(context.io, `Sent to ${sent.to.join(', ')}.`));
}

/** Reads a complete mail from stdin. Throws a usage error for flags that would change it. */
async function readRaw({cc, subject, text, html, header, attach}: SendFlags, {io}: Context): Promise<Buffer> {
	if ([cc, subject, text, html, header, attach].some(flag => flag !== undefined)) {
		throw usageError(
			'--raw sends the mail unchanged. It cannot be combined with --cc, --subject, --text, --html, --header or --attach.',
		);
	}

	return readStdin(io, '--raw reads the mail from stdin.', 'tinbox send signup --raw < mail.eml');
}

async function readStdin({stdin}: Context['io'], purpose: string, example: string): Promise<Buffer> {
	if (stdin.isTTY) {
		throw usageError(purpose, example);
	}

	return buffer(stdin);
}

async function compose(
	{from, subject = 'Test message', text, html, header = [], attach = []}: SendFlags,
	recipients: {readonly to: string[]; readonly cc: string[]},
	{io}: Context,
) {
	const isEmpty = text === undefined && html === undefined;
	const body =
		text === '-'
			? String(await readStdin(io, '--text - reads the text from stdin.', 'tinbox send signup --text - < text.txt'))
			: text;
	const headers = header.map(parseHeader);
	const given = new Set(headers.map(({key}) => key.toLowerCase()));
	const own = Object.entries({from, ...recipients, subject}).filter(([name]) => !given.has(name));
	return {
		...Object.fromEntries(own),
		headers,
		...(isEmpty ? {text: 'This is a test message.\n'} : {text: body, html}),
		attachments: await Promise.all(
			attach.map(async file => ({filename: path.basename(file), content: await readFile(file)})),
		),
	};
}

/** Parses a header field (RFC 5322, section 2.2). */
function parseHeader(text: string): {readonly key: string; readonly value: string} {
	const [, key, value] = /^([\x21-\x39\x3b-\x7e]+):[ \t]*([^\r\n]*)$/.exec(text) ?? [];
	if (key === undefined || value === undefined) {
		throw usageError(`--header must be "name: value" on one line, got "${text}".`);
	}

	return {key, value};
}

async function addressOf(text: string, {api}: Context): Promise<string> {
	if (text.includes('@')) {
		return text;
	}

	const {email_address} = await findInbox(await api(), text);
	if (email_address.startsWith('*')) {
		throw usageError(`The inbox "${text}" is a catch-all for ${email_address}. Send to an address that it matches.`);
	}

	return email_address;
}
