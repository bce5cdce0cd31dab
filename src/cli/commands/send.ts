import {readFile} from 'node:fs/promises';
import path from 'node:path';
import type {Command} from 'commander';
import type {Context} from '../context.js';
import {addExamples} from '../examples.js';
import {usageError} from '../exit.js';
import {explainSmtpError} from '../explain-smtp-error.js';
import {findInbox} from '../find-inbox.js';
import {findServer} from '../find-server.js';
import {type FieldsOf, type JsonFields, jsonOption} from '../options.js';
import {note, printJson} from '../output.js';
import type {SentMail} from '../smtp-client.js';

export type SendOptions = {
	readonly to: readonly string[];
	readonly from: string;
	readonly subject?: string;
	readonly text?: string;
	readonly html?: string;
	readonly attach?: readonly string[];
	readonly raw?: boolean;
	readonly server?: string;
	readonly json?: JsonFields;
};

const fields: FieldsOf<SentMail> = {from: true, to: true, message_id: true};

/** Declares the arguments of `tinbox send`, which is a command without subcommands. */
export function fillSend(command: Command, context: Context, run = runSend): void {
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
		.action(async (to: readonly string[], flags: Omit<SendOptions, 'to'>) => run({to, ...flags}, context));
}

export async function runSend(options: SendOptions, context: Context): Promise<void> {
	const to = await Promise.all(options.to.map(text => addressOf(text, context)));
	const mail = options.raw ? {raw: await readRaw(options, context)} : await compose(options, to);
	const server = await findServer(options.server, context);
	const {sendMail} = await import('../smtp-client.js');
	const sent = await sendMail(server, {...mail, envelope: {from: options.from, to}}).catch(error => {
		throw explainSmtpError(error, server);
	});
	if (options.json) {
		printJson(context.io, sent, options.json);
	} else {
		note(context.io, `Sent to ${sent.to.join(', ')}.`);
	}
}

/** The mail from stdin, with its own header: nothing that would change it goes along. */
async function readRaw({subject, text, html, attach}: SendOptions, {io}: Context): Promise<Buffer> {
	if (subject !== undefined || text !== undefined || html !== undefined || attach !== undefined) {
		throw usageError('--raw sends a mail as it is: --subject, --text, --html and --attach do not go with it.');
	}

	if (io.stdin.isTTY) {
		throw usageError('--raw reads a mail from stdin.', 'tinbox send signup --raw < mail.eml');
	}

	const chunks: Uint8Array[] = [];
	for await (const chunk of io.stdin) {
		chunks.push(chunk);
	}

	return Buffer.concat(chunks);
}

async function compose({from, subject = 'Test message', text, html, attach = []}: SendOptions, to: readonly string[]) {
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
