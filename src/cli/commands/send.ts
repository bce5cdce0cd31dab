import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {buffer} from 'node:stream/consumers';
import type {Command} from 'commander';
import {fieldsOf} from '../../contract/answers.js';
import type {SentMail} from '../connect/smtp-client.js';
import {findServer} from '../connect/smtp-server.js';
import type {Context} from '../context.js';
import {findInbox} from '../find.js';
import {addExamples, type JsonFlag, jsonOption} from '../options.js';
import {usageError} from '../output/exit.js';
import {note, printJson} from '../output/print.js';

type SendFlags = JsonFlag & {
	readonly from: string;
	readonly subject?: string;
	readonly text?: string;
	readonly html?: string;
	readonly attach?: readonly string[];
	readonly raw?: boolean;
	readonly server?: string;
};

const fields = fieldsOf<SentMail>()('from to message_id');

export function fillSend(command: Command, context: Context): void {
	addExamples(
		command,
		'tinbox send signup@tinbox.test --subject Hello --text "Your code is 4711."',
		'tinbox send signup --attach invoice.pdf',
		'tinbox send signup --raw < mail.eml',
	)
		.argument('<inbox...>', 'addresses, or ids or names of inboxes')
		.option('--from <address>', 'who sends it', 'hello@tinbox.test')
		.option('--subject <text>', 'subject (default: "Test message")')
		.option('--text <text>', 'body as text')
		.option('--html <html>', 'body as HTML')
		.option('--attach <file...>', 'attach these files')
		.option('--raw', 'send the whole mail that comes on stdin, as it is')
		.option('--server <host:port>', 'send it there (default: to the daemon)')
		.addOption(jsonOption(fields))
		.action(async (to: readonly string[], flags: SendFlags) => send(to, flags, context));
}

async function send(recipients: readonly string[], flags: SendFlags, context: Context): Promise<void> {
	const to = await Promise.all(recipients.map(text => addressOf(text, context)));
	const mail = flags.raw ? {raw: await readRaw(flags, context)} : await compose(flags, to);
	const server = await findServer(flags.server, context);
	const {sendMail} = await import('../connect/smtp-client.js');
	const sent = await sendMail(server, {...mail, envelope: {from: flags.from, to}});
	if (flags.json) {
		printJson(context.io, sent, flags.json);
	} else {
		note(context.io, `Sent to ${sent.to.join(', ')}.`);
	}
}

/** The mail on stdin, with its own header; flags that would change it are refused. */
async function readRaw({subject, text, html, attach}: SendFlags, {io}: Context): Promise<Buffer> {
	if (subject !== undefined || text !== undefined || html !== undefined || attach !== undefined) {
		throw usageError('--raw sends a mail as it is: it conflicts with --subject, --text, --html and --attach.');
	}

	if (io.stdin.isTTY) {
		throw usageError('--raw reads a mail from stdin.', 'tinbox send signup --raw < mail.eml');
	}

	return buffer(io.stdin);
}

async function compose({from, subject = 'Test message', text, html, attach = []}: SendFlags, to: readonly string[]) {
	const isEmpty = text === undefined && html === undefined;
	return {
		from,
		to: [...to],
		subject,
		...(isEmpty ? {text: 'This is a test message.\n'} : {text, html}),
		attachments: await Promise.all(
			attach.map(async file => ({filename: path.basename(file), content: await readFile(file)})),
		),
	};
}

async function addressOf(text: string, {api}: Context): Promise<string> {
	if (text.includes('@')) {
		return text;
	}

	const {email_address} = await findInbox(await api(), text);
	if (email_address.startsWith('*')) {
		throw usageError(
			`The inbox "${text}" takes all mail for ${email_address}. Send to an address of your choice there.`,
		);
	}

	return email_address;
}
