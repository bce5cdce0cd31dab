import {z} from 'zod';
import {sanitizeLine} from '../../lib/text/sanitize.js';
import {type ToolAnswer, tool} from '../tool.js';
import {fitLines} from '../words/cut.js';
import {messageWords} from '../words/message.js';
import {waitArguments, waitForMessage} from './wait.js';

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
