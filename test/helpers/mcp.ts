import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import type {CallToolResult} from '@modelcontextprotocol/sdk/types.js';
import {onTestFinished} from 'vitest';

/** What a tool answered: its words, and its object if it has one. */
export type Answered = {readonly text: string; readonly object: Record<string, unknown>; readonly isError: boolean};

/** A client of the official SDK. */
export class Agent {
	readonly client = new Client({name: 'test', version: '1'});

	/** One that is connected, and leaves at the end of the test. */
	static async connect(transport: Transport): Promise<Agent> {
		const agent = new Agent();
		await agent.client.connect(transport);
		onTestFinished(async () => agent.client.close());
		return agent;
	}

	/** Calls a tool; the SDK checks what it gives by its output schema. */
	async call(
		name: string,
		given: Record<string, unknown> = {},
		options: Parameters<Client['callTool']>[2] = {},
	): Promise<Answered> {
		const result = await this.client.callTool({name, arguments: given}, undefined, options);
		const {content, structuredContent, isError = false} = result as CallToolResult;
		const [first] = content;
		return {text: first?.type === 'text' ? first.text : '', object: structuredContent ?? {}, isError};
	}

	/** Makes an inbox, and gives its address. */
	async createInbox(given: Record<string, unknown> = {}): Promise<string> {
		return String((await this.call('create_inbox', given)).object['address']);
	}
}
