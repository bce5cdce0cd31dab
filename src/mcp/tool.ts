import type {ToolAnnotations} from '@modelcontextprotocol/sdk/types.js';
import {z} from 'zod';
import type {Client} from '../client/index.js';
import type {McpExtra} from '../contract/constants.js';
import {AppError} from '../domain/errors.js';
import {checkInput} from '../domain/input.js';
import type {VisibleInboxes} from './visible-inboxes.js';

/** What a call has to do its work with. */
export type ToolCall = {
	readonly client: Client;
	readonly inboxes: VisibleInboxes;
	/** Aborts when nobody waits for the answer any more. */
	readonly signal: AbortSignal;
	/** Tells the client, if it asked for that, how many seconds of a wait are over. */
	readonly progress: (seconds: number, total: number, message: string) => void;
	readonly now: () => Date;
};

/** What a tool answers: words for an agent, or an object that has the form of its `output`, which is its own words unless it has others. */
export type ToolAnswer =
	| string
	| {readonly object: {readonly [name: string]: unknown}; readonly words?: string | undefined};

/** How a tool is written. Names and descriptions are read by agents, at each turn: they are short. */
type ToolSpec<Input extends z.ZodObject> = {
	readonly name: string;
	readonly description: string;
	readonly input: Input;
	/** Only for answers without text of mails. */
	readonly output?: z.ZodObject;
	readonly annotations: ToolAnnotations;
	/** What must be allowed for it to be there. */
	readonly extra?: McpExtra;
	run(input: z.output<Input>, call: ToolCall): Promise<ToolAnswer>;
};

/** A tool, whatever it takes. */
export type Tool = Pick<ToolSpec<z.ZodObject>, 'name' | 'description' | 'output' | 'annotations' | 'extra'> & {
	readonly inputSchema: object;
	/** Throws `invalid_input` naming each wrong argument. */
	run(input: unknown, call: ToolCall): Promise<ToolAnswer>;
};

export function tool<Input extends z.ZodObject>({input, run, ...spec}: ToolSpec<Input>): Tool {
	return {
		...spec,
		inputSchema: jsonSchema(input),
		run: async (given, call) => run(checkArguments(input, given), call),
	};
}

function checkArguments<Input extends z.ZodObject>(input: Input, given: unknown): z.output<Input> {
	try {
		return checkInput(input, given) as z.output<Input>;
	} catch (error) {
		if (error instanceof AppError) {
			const names = Object.keys(input.shape).join(', ');
			throw new AppError(error.code, `${error.message} Arguments: ${names}.`, error.details);
		}

		throw error;
	}
}

/** Without what says nothing to an agent. */
export function jsonSchema(schema: z.ZodObject): object {
	const {$schema, ...rest} = z.toJSONSchema(schema, {
		io: 'input',
		override({jsonSchema: made}) {
			// The bounds of every whole number in JavaScript.
			if (made.minimum === Number.MIN_SAFE_INTEGER) {
				delete made.minimum;
			}

			if (made.maximum === Number.MAX_SAFE_INTEGER) {
				delete made.maximum;
			}
		},
	});
	return rest;
}

/** An argument that names an inbox. */
export const inboxArgument = z.string().describe('id, address or name');

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
