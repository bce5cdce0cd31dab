import {z} from 'zod';
import {arrivalsTold, timedOutLines} from '../../client/arrivals.js';
import {describeFilter} from '../../client/filter-words.js';
import {poll} from '../../client/poll.js';
import {wentWrongSince} from '../../client/went-wrong.js';
import type {FullMessageBody, MessageFilter, MissesBody} from '../../contract/messages.js';
import {sanitizeLine} from '../../lib/text/sanitize.js';
import type {ToolCall} from '../tool.js';
import {toldLines} from '../words/message.js';
import {inboxArgument} from './inboxes.js';

/** Seconds of a wait. Most clients give up on a call after 60: its answer has to come before that. */
const seconds = {usual: 30, most: 55};

/** How often a client is told that the wait goes on. */
const progressEveryMs = 5000;

/** How long to wait. */
export const timeoutArgument = z
	.number()
	.min(0)
	.optional()
	.describe(`seconds, at most ${seconds.most} (default ${seconds.usual})`);

/** The arguments of what waits for a message. */
export const waitArguments = {
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
export async function waitForMessage(
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

	const arrived = await client.messages.misses(id, filter, {limit: arrivalsTold, since: wentWrongSince(began)});
	const told = {address, wanted: describeFilter(filter), count: 1, found: 0, timeoutMs, now: now()};
	const [nothing = '', ...instead] = timedOutLines(told, arrived);
	return {timedOut: [sanitizeLine(nothing), ...whatInstead(arrived, instead)].join('\n')};
}

function whatInstead({misses, refusals, hits}: MissesBody, lines: readonly string[]): readonly string[] {
	const next =
		misses.length > 0
			? 'If one of these is the expected message, read it with get_message or retry with fewer filters. Otherwise make the app send it, then retry.'
			: 'Check that the app sent the mail, to this address and through the SMTP server of tinbox. Then retry.';
	return [misses.length + refusals.length + hits.length > 0 ? toldLines(lines) : lines.join('\n'), next];
}

/** How long a call waits that asks for so many seconds: never longer than clients do. */
export function timeoutMsOf(asked: number = seconds.usual): number {
	return Math.round(Math.min(asked, seconds.most) * 1000);
}

/** Does the work, and tells the client meanwhile that it goes on: `notYet` is what has not happened. */
export async function tellingProgress<T>(
	{progress}: ToolCall,
	timeoutMs: number,
	notYet: string,
	work: () => Promise<T>,
): Promise<T> {
	const began = performance.now();
	const timer = setInterval(() => {
		const passed = Math.round((performance.now() - began) / 1000);
		progress(passed, timeoutMs / 1000, `${notYet} after ${passed} s.`);
	}, progressEveryMs);
	try {
		return await work();
	} finally {
		clearInterval(timer);
	}
}
