import {z} from 'zod';
import {ApiError, ignoreNotFound} from '../client/errors.js';
import {describeFault} from '../client/faults.js';
import {describeFilter} from '../client/filter.js';
import {poll} from '../client/poll.js';
import {maxArrivals, problemsSince, timeoutLines} from '../client/timeout-report.js';
import {inboxFaultStages, latest, maxLimit} from '../contract/constants.js';
import {describeFaultHit} from '../contract/descriptions.js';
import {presetFault, presetNames} from '../contract/fault-presets.js';
import type {FullMessageBody, MessageFilter, MissesBody} from '../contract/messages.js';
import {AppError} from '../domain/errors.js';
import {sanitizeLine} from '../lib/text/sanitize.js';
import {formatDuration} from '../lib/text/units.js';
import {fitLines, messageRows, messageWords, untrustedLines, views} from './message-text.js';
import {
	inboxArgument,
	reportProgress,
	type ToolCall,
	type ToolResult,
	timeoutArgument,
	timeoutMsOf,
	tool,
} from './tool.js';

/** Default lifetime of an inbox in seconds: agents may forget to delete it. */
const defaultTtl = 86_400;

export const inboxTools = [
	tool({
		name: 'create_inbox',
		description:
			'Create an inbox for one test. Make the app send to its address, then call get_code, get_link or wait_for_message.',
		input: z.strictObject({
			name: z.string().optional(),
			address: z.string().optional().describe('full address (default random)'),
			ttl: z.int().optional().describe('lifetime in seconds (default 1 day)'),
		}),
		output: z.object({
			id: z.string(),
			address: z.string(),
			expires_at: z.string(),
			smtp_url: z.string().optional().describe('SMTP login: all mail sent with it arrives here'),
		}),
		annotations: {destructiveHint: false, openWorldHint: false},
		async run({name, address, ttl = defaultTtl}, {client, inboxes}) {
			if (address?.startsWith('*')) {
				throw new AppError(
					'forbidden',
					`Agents cannot create the catch-all inbox "${address}". Use a single address, or ask the user to create the inbox and pass it with --inbox.`,
				);
			}

			const created = await client.inboxes.create({name, email_address: address, ttl}).catch(renameAddressField);
			inboxes.add(created);
			const {id, email_address, expires_at, smtp} = created;
			return {
				object: {id, address: email_address, expires_at: expires_at ?? '', ...(smtp && {smtp_url: smtp.url})},
			};
		},
	}),
	tool({
		name: 'delete_inbox',
		description: 'Delete an inbox that you created, with its mail, after the test.',
		input: z.strictObject({inbox: inboxArgument}),
		annotations: {idempotentHint: true, openWorldHint: false},
		async run({inbox}, {client, inboxes}) {
			const {id, email_address} = await inboxes.findWritable(inbox);
			// The inbox may have expired.
			await client.inboxes.delete(id).catch(ignoreNotFound);
			inboxes.remove(id);
			return `Deleted ${email_address} and its mail.`;
		},
	}),
] as const;

/** Reports an invalid `email_address` under the name of the argument. */
function renameAddressField(error: unknown): never {
	if (error instanceof ApiError && error.errors.some(({field}) => field === 'email_address')) {
		throw new AppError('invalid_input', '"address" must be one address, such as signup@example.com.');
	}

	throw error;
}

/** Maximum number of hits in a result. */
const maxHits = 20;

/** Presets that apply to a single inbox. */
const inboxPresets = presetNames.filter(name => inboxFaultStages.some(stage => stage === presetFault(name)?.stage));

export const faultTools = [
	tool({
		name: 'add_fault',
		description: 'Simulate delivery failures for mail to an inbox that you created, to test how the app reacts.',
		input: z.strictObject({
			inbox: inboxArgument,
			preset: z.enum(inboxPresets),
			times: z.int().min(1).optional().describe('maximum number of hits (default depends on the preset)'),
		}),
		annotations: {destructiveHint: false, openWorldHint: false},
		extra: 'faults',
		async run({inbox, preset, times}, {client, inboxes}) {
			const {id, email_address} = await inboxes.findWritable(inbox);
			const fault = presetFault(preset);
			if (!fault) {
				throw new AppError('not_found', `Unknown preset "${preset}". Available: ${inboxPresets.join(', ')}.`);
			}

			const created = await client.faults.create(id, {...fault, ...(times !== undefined && {times})});
			return `Added "${preset}" to ${email_address}: ${sanitizeLine(describeFault(created))}.`;
		},
	}),
	tool({
		name: 'wait_for_fault',
		description: 'Wait for fault hits in an inbox, for example to prove that the app retries.',
		input: z.strictObject({
			inbox: inboxArgument,
			count: z.int().min(1).optional().describe('hits in total (default 1)'),
			timeout: timeoutArgument,
		}),
		annotations: {readOnlyHint: true},
		extra: 'faults',
		async run({inbox, count = 1, timeout}, call) {
			const {id, email_address} = await call.inboxes.find(inbox);
			const timeoutMs = timeoutMsOf(timeout);
			const hits = await reportProgress(call, timeoutMs, 'Not enough fault hits', () =>
				call.client.faults.wait(id, {count, timeoutMs, signal: call.signal}),
			);
			const missing = hits.length < count ? ` (expected ${count} within ${formatDuration(timeoutMs)})` : '';
			const lines = hits.slice(0, maxHits).map(hit => `${hit.time} ${describeFaultHit(hit)}`);
			return [
				`Fault hits in ${email_address}: ${hits.length}${missing}.`,
				...(hits.length === 0 ? [] : ['Newest first:', untrustedLines(lines)]),
			].join('\n');
		},
	}),
	tool({
		name: 'clear_faults',
		description: 'Delete the faults of an inbox that you created.',
		input: z.strictObject({inbox: inboxArgument}),
		annotations: {idempotentHint: true, openWorldHint: false},
		extra: 'faults',
		async run({inbox}, {client, inboxes}) {
			const {id, email_address} = await inboxes.findWritable(inbox);
			await client.faults.deleteAll(id);
			return `Deleted all faults of ${email_address}.`;
		},
	}),
] as const;

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

function notFound(timedOut: string): ToolResult {
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
