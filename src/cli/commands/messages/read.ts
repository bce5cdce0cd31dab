import type {Command} from 'commander';
import {latest} from '../../../contract/constants.js';
import {addressFields, describeSession} from '../../../contract/descriptions.js';
import {fullMessageFields} from '../../../contract/field-names.js';
import type {FullMessageBody} from '../../../contract/messages.js';
import {mailboxList, sanitizeLine, sanitizeText} from '../../../lib/text/sanitize.js';
import {formatSize} from '../../../lib/text/units.js';
import type {Context} from '../../context.js';
import {addHomeFlag} from '../../control/kept-home.js';
import {findMessage} from '../../find.js';
import {type JsonFlag, jsonOption} from '../../options.js';
import {printJson} from '../../output/print.js';
import {addBrowserFlag, type BrowserFlag, showPage} from '../../show-page.js';
import {type Field, fieldOption, readFields} from './field.js';

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

/** Describes the argument that names a message. */
export const messageArgument = 'id or the end of an id, or "latest"';

/** Gives a command the arguments that name a message, the newest one unless given. */
export function addMessageArguments(command: Command): Command {
	return command.argument('<inbox>', 'id, address or name').argument('[message]', messageArgument, latest);
}

/** The head, an empty line, the text. */
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
		// A terminal would execute the control characters.
		stdout.write(stdout.isTTY ? sanitizeText(source.toString()) : source);
	});
}
