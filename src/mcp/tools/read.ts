import {z} from 'zod';
import {latest, maxLimit} from '../../contract/constants.js';
import {tool} from '../tool.js';
import {views} from '../words/body.js';
import {messageRows, messageWords} from '../words/message.js';
import {inboxArgument} from './inboxes.js';

/** Rows of a list, unless it is said how many. */
const defaultRows = 20;

const reading = {readOnlyHint: true} as const;

export const readTools = [
	tool({
		name: 'get_message',
		description: 'Read a message, 8 KB at a time: its visible text, HTML or headers.',
		input: z.strictObject({
			inbox: inboxArgument,
			message: z.string().optional().describe('id (default latest)'),
			view: z.enum(views).optional(),
			offset: z.int().min(0).optional().describe('characters to skip'),
		}),
		annotations: reading,
		async run({inbox, message = latest, view = 'text', offset = 0}, {client, inboxes, signal}) {
			const {id} = await inboxes.find(inbox);
			return messageWords(await client.messages.get(id, message, {}, signal), {view, offset});
		},
	}),
	tool({
		name: 'list_messages',
		description: 'List the messages of an inbox, newest first: id, time, sender, subject.',
		input: z.strictObject({
			inbox: inboxArgument,
			limit: z.int().min(1).max(maxLimit).optional(),
			before: z.string().optional().describe('only messages older than this id'),
		}),
		annotations: reading,
		async run({inbox, limit = defaultRows, before}, {client, inboxes, signal}) {
			const {id, email_address} = await inboxes.find(inbox);
			const rows = await client.messages.summaries(id, {limit, before}, signal);
			const last = rows.at(-1)?.id;
			if (last === undefined) {
				return `No messages${before === undefined ? '' : ` older than ${before}`} in ${email_address}.`;
			}

			return [
				messageRows(rows),
				...(rows.length < limit ? [] : [`For older messages, pass "before": "${last}".`]),
			].join('\n');
		},
	}),
] as const;
