import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import type {CallToolResult} from '@modelcontextprotocol/sdk/types.js';
import {onTestFinished} from 'vitest';

/** The result of a tool call: its text, and its structured content if it has any. */
export type ToolResult = {readonly text: string; readonly object: Record<string, unknown>; readonly isError: boolean};

/** An MCP client of the official SDK. */
export class Agent {
	readonly client = new Client({name: 'test', version: '1'});

	/** Connects a client that is closed with the test. */
	static async connect(transport: Transport): Promise<Agent> {
		const agent = new Agent();
		await agent.client.connect(transport);
		onTestFinished(async () => agent.client.close());
		return agent;
	}

	/** Calls a tool. The SDK validates the result with the output schema. */
	async call(
		name: string,
		args: Record<string, unknown> = {},
		options: Parameters<Client['callTool']>[2] = {},
	): Promise<ToolResult> {
		const result = await this.client.callTool({name, arguments: args}, undefined, options);
		const {content, structuredContent, isError = false} = result as CallToolResult;
		const [first] = content;
		return {text: first?.type === 'text' ? first.text : '', object: structuredContent ?? {}, isError};
	}

	/** Creates an inbox and returns its address. */
	async createInbox(args: Record<string, unknown> = {}): Promise<string> {
		return String((await this.call('create_inbox', args)).object['address']);
	}
}
