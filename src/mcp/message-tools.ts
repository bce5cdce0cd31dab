import {z} from 'zod';
import {describeFilter} from '../client/filter.js';
import {poll} from '../client/poll.js';
import {maxArrivals, problemsSince, timeoutLines} from '../client/timeout-report.js';
import {latest, maxLimit} from '../contract/constants.js';
import type {FullMessageBody, MessageFilter, MissesBody} from '../contract/messages.js';
import {sanitizeLine} from '../lib/text/sanitize.js';
import {fitLines, messageRows, messageWords, untrustedLines, views} from './message-text.js';
import {
	inboxArgument,
	reportProgress,
	type ToolAnswer,
	type ToolCall,
	timeoutArgument,
	timeoutMsOf,
	tool,
} from './tool.js';

/** Arguments of the tools that wait for a message. */
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

/** Matching message, or the text that reports the timeout. */
type WaitResult =
	| {readonly message: FullMessageBody; readonly timedOut?: never}
	| {readonly message?: never; readonly timedOut: string};

/**
 * Waits for the newest message that matches the filters and `wanted`. Existing messages count. A timeout is no error: its text
 * lists what arrived instead and what to do.
 */
async function waitForMessage(
	{inbox: name, timeout, after, ...texts}: WaitInput,
	wanted: Pick<MessageFilter, 'has' | 'link'>,
	call: ToolCall,
): Promise<WaitResult> {
	const {client, inboxes, signal, now} = call;
	const startedAt = now();
	const {id, email_address: address} = await inboxes.find(name);
	const filter: MessageFilter = {...texts, ...wanted, after, match: 'pattern'};
	const timeoutMs = timeoutMsOf(timeout);
	const found = await reportProgress(call, timeoutMs, 'No message yet', () =>
		poll(
			async (wait, pollSignal) => (await client.messages.summaries(id, {...filter, limit: 1, wait}, pollSignal))[0],
			timeoutMs,
			signal,
		),
	);
	if (found) {
		return {message: await client.messages.get(id, found.id, {}, signal)};
	}

	const arrived = await client.messages.misses(id, filter, {limit: maxArrivals, since: problemsSince(startedAt)});
	const told = {address, wanted: describeFilter(filter), count: 1, found: 0, timeoutMs, now: now()};
	const [summary = '', ...lines] = timeoutLines(told, arrived);
	return {timedOut: [sanitizeLine(summary), ...describeTimeout(arrived, lines)].join('\n')};
}

function describeTimeout({misses, refusals, hits}: MissesBody, lines: readonly string[]): readonly string[] {
	const next =
		misses.length > 0
			? 'If one of these is the expected message, read it with get_message or retry with fewer filters. Otherwise make the app send it, then retry.'
			: 'Check that the app sent the mail, to this address and through the SMTP server of tinbox. Then retry.';
	return [misses.length + refusals.length + hits.length > 0 ? untrustedLines(lines) : lines.join('\n'), next];
}

const readOnly = {readOnlyHint: true} as const;

/** Maximum number of codes or links in a result, and their total size. The first one is always included. */
const maxFindings = {count: 10, bytes: 4096};

/** Output of the tools that extract something from a message. */
const findingOutput = {
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
		annotations: readOnly,
		async run(input, call) {
			const {message, timedOut} = await waitForMessage(input, {}, call);
			return message ? messageWords(message, {view: 'text', offset: 0}) : timedOut;
		},
	}),
	tool({
		name: 'get_code',
		description: 'Wait for a message with a one-time code, and return the code. Same filters as wait_for_message.',
		input: z.strictObject(waitArguments),
		output: z.object({...findingOutput, code: z.string().optional()}),
		annotations: readOnly,
		async run(input, call) {
			const {message, timedOut} = await waitForMessage(input, {has: ['code']}, call);
			if (!message) {
				return notFound(timedOut);
			}

			const [code, ...others] = sanitizeFindings(message.codes);
			return {object: {found: true, code, others, message: message.id}};
		},
	}),
	tool({
		name: 'get_link',
		description: 'Wait for a message with a link, and return its URL. Same filters as wait_for_message.',
		input: z.strictObject({...waitArguments, link: z.string().optional().describe('matches its URL or text')}),
		output: z.object({...findingOutput, url: z.string().optional()}),
		annotations: readOnly,
		async run({link, ...input}, call) {
			const wanted = link === undefined ? ({has: ['link']} as const) : {link: [link]};
			const {message, timedOut} = await waitForMessage(input, wanted, call);
			if (!message) {
				return notFound(timedOut);
			}

			const {links} =
				link === undefined ? message : await call.client.messages.get(message.inbox_id, message.id, {link});
			const [url, ...others] = sanitizeFindings(links.map(link => link.url));
			return {object: {found: true, url, others, message: message.id}};
		},
	}),
] as const;

function notFound(timedOut: string): ToolAnswer {
	return {object: {found: false, timed_out: timedOut}, words: timedOut};
}

/** Sanitized findings, the best one first. */
function sanitizeFindings(values: readonly string[]): readonly string[] {
	const [first = '', ...others] = values.slice(0, maxFindings.count).map(sanitizeLine);
	return [first, ...fitLines(others, maxFindings.bytes).lines];
}

/** Default number of messages in a list. */
const defaultRows = 20;

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
		annotations: readOnly,
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
		annotations: readOnly,
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
