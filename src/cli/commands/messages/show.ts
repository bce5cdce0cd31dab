import type {Command} from 'commander';
import type {FullMessageBody} from '../../../contract/messages.js';
import {sanitizeLine, sanitizeText} from '../../../lib/sanitize.js';
import {formatSize} from '../../../lib/size.js';
import type {Context} from '../../context.js';
import {findInbox} from '../../find-inbox.js';
import {findMessageId, latest} from '../../find-message.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printJson} from '../../output.js';
import {type Field, fieldOption, readField} from './field.js';
import {fullMessageFields} from './fields.js';

export type ShowOptions = {
	readonly inbox: string;
	readonly message: string;
	readonly json?: JsonFields;
	readonly field?: Field;
};

export function addShow(parent: Command, context: Context, run = runShow): void {
	parent
		.command('show')
		.description('show a message')
		.argument('<inbox>', 'its id, address or name')
		.argument('[message]', 'id of the message, or "latest"', latest)
		.addOption(fieldOption().conflicts('json'))
		.addOption(jsonOption(fullMessageFields))
		.action(async (inbox: string, message: string, flags: Omit<ShowOptions, 'inbox' | 'message'>) =>
			run({inbox, message, ...flags}, context),
		);
}

export async function runShow({inbox: text, message: id, json, field}: ShowOptions, {io, api}: Context): Promise<void> {
	const client = await api();
	const inbox = await findInbox(client, text);
	const messageId = await findMessageId(client, inbox, id);
	if (field) {
		io.stdout.write(`${await readField(client, {inbox_id: inbox.id, id: messageId}, field)}\n`);
		return;
	}

	const message = await client.messages.get(inbox.id, messageId);
	if (json) {
		printJson(io, message, json);
	} else {
		io.stdout.write(`${forPeople(message)}\n`);
	}
}

/** The head, an empty line, the text. */
function forPeople(message: FullMessageBody): string {
	const {from, to, cc, subject, received_at, attachments, warnings} = message;
	const head = [
		`From: ${from}`,
		`To: ${to}`,
		...(cc.length > 0 ? [`Cc: ${cc.join(', ')}`] : []),
		`Subject: ${subject}`,
		`Received: ${received_at}`,
		...attachments.map(
			({id, filename, content_type, size}) =>
				`Attachment ${id}: ${filename || 'without a name'} (${content_type}, ${formatSize(size)})`,
		),
		...warnings.map(warning => `Warning: ${warning}`),
	];
	return [...head.map(sanitizeLine), '', sanitizeText(message.text).trimEnd()].join('\n');
}
