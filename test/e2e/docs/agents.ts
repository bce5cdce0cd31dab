import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import {expect} from 'vitest';
import {Agent} from '../../helpers/mcp.js';
import type {Stories, Story, World} from './world.js';

/** Starts the MCP server of a client configuration, as an MCP client does. */
async function connectAgent(code: string, {packages, folder, env}: World): Promise<Agent> {
	await packages();
	const {command, args} = JSON.parse(code).mcpServers.tinbox;
	const agent = await Agent.connect(new StdioClientTransport({command, args, env, cwd: folder, stderr: 'ignore'}));
	expect(await agent.createInbox()).toMatch(/@tinbox\.test$/);
	return agent;
}

const plain: Story = {
	async run(code, world) {
		await connectAgent(code, world);
	},
};

export const stories: Stories = {
	'Agents: json': plain,
	'Access: json': {
		async run(code, world) {
			await world.sh('tinbox inbox create --name signup && tinbox send signup --subject Welcome');
			const agent = await connectAgent(code, world);
			expect((await agent.call('list_messages', {inbox: 'signup'})).text).toContain('Welcome');
			const {tools} = await agent.client.listTools();
			expect(tools.map(({name}) => name)).toEqual(expect.arrayContaining(['send_mail', 'add_fault']));
		},
	},
	'Over HTTP: json': {
		async run(code, {sh}) {
			const output = await sh('tinbox daemon start --format env');
			const variable = (name: string) => new RegExp(`^export ${name}=(.*)$`, 'm').exec(output)?.[1] ?? '';
			const {url, headers} = JSON.parse(code.replace('tbx_live_…', variable('TINBOX_API_KEY'))).mcpServers.tinbox;
			const endpoint = new URL(new URL(url).pathname, variable('TINBOX_URL'));
			const transport = new StreamableHTTPClientTransport(endpoint, {requestInit: {headers}}) as Transport;
			expect(await (await Agent.connect(transport)).createInbox()).toMatch(/@tinbox\.test$/);
		},
	},
};
