import type {ToolAnnotations} from '@modelcontextprotocol/sdk/types.js';
import {z} from 'zod';
import type {Client} from '../client/index.js';
import type {McpExtra} from '../contract/constants.js';
import {AppError} from '../domain/errors.js';
import {checkInput} from '../domain/input.js';
import type {VisibleInboxes} from './visible-inboxes.js';

/** Context of a tool call. */
export type ToolCall = {
	readonly client: Client;
	readonly inboxes: VisibleInboxes;
	/** Aborts when the client cancels the call or disconnects. */
	readonly signal: AbortSignal;
	/** Reports the elapsed seconds of a wait to the client, if it requested that. */
	readonly progress: (seconds: number, total: number, message: string) => void;
	readonly now: () => Date;
};

/** Result of a tool: a text, or an object that matches `output`. The text of an object is `words`, or its JSON. */
export type ToolResult =
	| string
	| {readonly object: {readonly [name: string]: unknown}; readonly words?: string | undefined};

/** Definition of a tool. Names and descriptions are short: agents read them at each turn. */
type ToolSpec<Input extends z.ZodObject> = {
	readonly name: string;
	readonly description: string;
	readonly input: Input;
	/** Schema of structured results. Only for tools that return no text from mail. */
	readonly output?: z.ZodObject;
	readonly annotations: ToolAnnotations;
	/** Group that must be enabled for the tool to exist. */
	readonly extra?: McpExtra;
	run(input: z.output<Input>, call: ToolCall): Promise<ToolResult>;
};

/** Tool with unvalidated input. */
export type Tool = Pick<ToolSpec<z.ZodObject>, 'name' | 'description' | 'output' | 'annotations' | 'extra'> & {
	readonly inputSchema: object;
	/** Throws `invalid_input`, which names each invalid argument. */
	run(input: unknown, call: ToolCall): Promise<ToolResult>;
};

/** Creates a tool that validates its input. */
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

/** JSON schema without the parts that agents do not need. */
export function jsonSchema(schema: z.ZodObject): object {
	const {$schema, ...rest} = z.toJSONSchema(schema, {
		io: 'input',
		override({jsonSchema: generated}) {
			// Bounds of all integers in JavaScript.
			if (generated.minimum === Number.MIN_SAFE_INTEGER) {
				delete generated.minimum;
			}

			if (generated.maximum === Number.MAX_SAFE_INTEGER) {
				delete generated.maximum;
			}
		},
	});
	return rest;
}

/** Argument that names an inbox. */
export const inboxArgument = z.string().describe('id, address or name');

/** Timeout of a wait in seconds. Most clients time out after 60 seconds. */
const timeoutSeconds = {default: 30, max: 55};

/** Interval of progress notifications. */
const progressIntervalMs = 5000;

/** Argument with the timeout of a wait. */
export const timeoutArgument = z
	.number()
	.min(0)
	.optional()
	.describe(`seconds, at most ${timeoutSeconds.max} (default ${timeoutSeconds.default})`);

/** Timeout of a wait in milliseconds, limited to what clients wait for. */
export function timeoutMsOf(seconds: number = timeoutSeconds.default): number {
	return Math.round(Math.min(seconds, timeoutSeconds.max) * 1000);
}

/** Runs `work` and reports progress meanwhile. `notYet` describes the awaited event, such as `No message yet`. */
export async function reportProgress<T>(
	{progress}: ToolCall,
	timeoutMs: number,
	notYet: string,
	work: () => Promise<T>,
): Promise<T> {
	const began = performance.now();
	const timer = setInterval(() => {
		const passed = Math.round((performance.now() - began) / 1000);
		progress(passed, timeoutMs / 1000, `${notYet} after ${passed} s.`);
	}, progressIntervalMs);
	try {
		return await work();
	} finally {
		clearInterval(timer);
	}
}
