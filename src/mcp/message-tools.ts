import {z} from 'zod';
import {describeFilter} from '../client/filter.js';
import {poll} from '../client/poll.js';
import {maxArrivals, problemsSince, timeoutLines} from '../client/timeout-report.js';
import {latest, maxLimit} from '../contract/constants.js';
import type {FullMessageBody, MessageFilter, MissesBody} from '../contract/messages.js';
import {sanitizeLine} from '../lib/text/sanitize.js';
import {fitLines, messageRows, messageWords, toldLines, views} from './message-text.js';
import {
	inboxArgument,
	type ToolAnswer,
	type ToolCall,
	tellingProgress,
	timeoutArgument,
	timeoutMsOf,
	tool,
} from './tool.js';

/** The arguments of what waits for a message. */
const waitArguments = {
	inbox: inboxArgument,
	subject: z.string().optional(),
	from: z.string().optional(),
	to: z.string().optional(),
	contains: z.string().optional(),
	after: z.string().optional().describe('only messages after this message id or time'),
	timeout: timeoutArgument,
};

type WaitInput = {readonly [Name in keyof typeof waitArguments]?: z.output<(typeof waitArguments)[Name]>} & {
	readonly inbox: string;
};

/** A message, or the words that tell what came in its place and what to do. */
type Waited =
	| {readonly message: FullMessageBody; readonly timedOut?: never}
	| {readonly message?: never; readonly timedOut: string};

/**
 * Waits for the newest message that fits and has what `wanted` says; one that is there already counts. That none came in time
 * is no error: an agent looks at what came in its place, and goes on.
 */
async function waitForMessage(
	{inbox: name, timeout, after, ...texts}: WaitInput,
	wanted: Pick<MessageFilter, 'has' | 'link'>,
	call: ToolCall,
): Promise<Waited> {
	const {client, inboxes, signal, now} = call;
	const began = now();
	const {id, email_address: address} = await inboxes.find(name);
	const filter: MessageFilter = {...texts, ...wanted, after, match: 'pattern'};
	const timeoutMs = timeoutMsOf(timeout);
	const found = await tellingProgress(call, timeoutMs, 'No message yet', () =>
		poll(
			async (wait, pollSignal) => (await client.messages.summaries(id, {...filter, limit: 1, wait}, pollSignal))[0],
			timeoutMs,
			signal,
		),
	);
	if (found) {
		return {message: await client.messages.get(id, found.id, {}, signal)};
	}

	const arrived = await client.messages.misses(id, filter, {limit: maxArrivals, since: problemsSince(began)});
	const told = {address, wanted: describeFilter(filter), count: 1, found: 0, timeoutMs, now: now()};
	const [nothing = '', ...instead] = timeoutLines(told, arrived);
	return {timedOut: [sanitizeLine(nothing), ...whatInstead(arrived, instead)].join('\n')};
}

function whatInstead({misses, refusals, hits}: MissesBody, lines: readonly string[]): readonly string[] {
	const next =
		misses.length > 0
			? 'If one of these is the expected message, read it with get_message or retry with fewer filters. Otherwise make the app send it, then retry.'
			: 'Check that the app sent the mail, to this address and through the SMTP server of tinbox. Then retry.';
	return [misses.length + refusals.length + hits.length > 0 ? toldLines(lines) : lines.join('\n'), next];
}

/** How many codes and links are told, and bytes of all of them: the first one is always told. */
const most = {count: 10, bytes: 4096};

const waiting = {readOnlyHint: true} as const;

/** The output of what finds something in a message, or says why there is none. */
const finding = {
	found: z.boolean(),
	others: z.array(z.string()).optional(),
	message: z.string().optional().describe('id'),
	timed_out: z.string().optional(),
};

export const waitTools = [
	tool({
		name: 'wait_for_message',
		description:
			'Wait for a message that matches all filters, and read it. Existing messages count; to get the next one, pass the last id as "after". Filters are case-insensitive substrings or a /regex/. A timeout reports what arrived instead.',
		input: z.strictObject(waitArguments),
		annotations: waiting,
		async run(input, call) {
			const {message, timedOut} = await waitForMessage(input, {}, call);
			return message ? messageWords(message, {view: 'text', offset: 0}) : timedOut;
		},
	}),
	tool({
		name: 'get_code',
		description: 'Wait for a message with a one-time code, and return the code. Same filters as wait_for_message.',
		input: z.strictObject(waitArguments),
		output: z.object({...finding, code: z.string().optional()}),
		annotations: waiting,
		async run(input, call) {
			const {message, timedOut} = await waitForMessage(input, {has: ['code']}, call);
			if (!message) {
				return notFound(timedOut);
			}

			const [code, ...others] = foundIn(message.codes);
			return {object: {found: true, code, others, message: message.id}};
		},
	}),
	tool({
		name: 'get_link',
		description: 'Wait for a message with a link, and return its URL. Same filters as wait_for_message.',
		input: z.strictObject({...waitArguments, link: z.string().optional().describe('matches its URL or text')}),
		output: z.object({...finding, url: z.string().optional()}),
		annotations: waiting,
		async run({link, ...input}, call) {
			const wanted = link === undefined ? ({has: ['link']} as const) : {link: [link]};
			const {message, timedOut} = await waitForMessage(input, wanted, call);
			if (!message) {
				return notFound(timedOut);
			}

			const {links} =
				link === undefined ? message : await call.client.messages.get(message.inbox_id, message.id, {link});
			const [url, ...others] = foundIn(links.map(link => link.url));
			return {object: {found: true, url, others, message: message.id}};
		},
	}),
] as const;

function notFound(timedOut: string): ToolAnswer {
	return {object: {found: false, timed_out: timedOut}, words: timedOut};
}

/** What was found in a message, the best first, safe to print. */
function foundIn(values: readonly string[]): readonly string[] {
	const [first = '', ...others] = values.slice(0, most.count).map(sanitizeLine);
	return [first, ...fitLines(others, most.bytes).lines];
}

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

export const sendTools = [
	tool({
		name: 'send_mail',
		description: 'Send a mail inside tinbox, as an app would. It never leaves the daemon.',
		input: z.strictObject({
			from: z.string(),
			to: z.array(z.string()).min(1),
			subject: z.string().optional(),
			text: z.string().optional(),
			html: z.string().optional(),
		}),
		annotations: {destructiveHint: false, openWorldHint: false},
		extra: 'send',
		async run(mail, {client}) {
			const {message_ids: ids} = await client.messages.send(mail);
			return ids.length === 0
				? 'Accepted, but not stored: no inbox has these recipient addresses.'
				: `Sent. Stored as ${ids.length === 1 ? 'message' : 'messages'} ${ids.join(', ')}.`;
		},
	}),
] as const;
