import {mkdir, symlink} from 'node:fs/promises';
import path from 'node:path';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import {expect} from 'vitest';
import {Agent} from '../../helpers/mcp.js';
import type {Stories, World} from './world.js';

/** Starts what a client is configured with, as that does. */
async function configured(code: string, {packages, folder, env}: World): Promise<void> {
	await packages();
	// Where npx finds what was installed.
	const programs = path.join(folder, 'node_modules/.bin');
	await mkdir(programs);
	await symlink('../tinbox/bin/tinbox.js', path.join(programs, 'tinbox'));
	const {command, args} = JSON.parse(code).mcpServers.tinbox;
	const agent = await Agent.connect(new StdioClientTransport({command, args, env, cwd: folder, stderr: 'ignore'}));
	expect(await agent.createInbox()).toMatch(/@tinbox\.test$/);
}

export const agentStories: Stories = {
	'Your agent needs an inbox?: json': {run: configured},
	'Agents: json': {run: configured},
	'Over HTTP: json': {
		async run(code, {sh}) {
			const said = await sh('tinbox daemon start --format env');
			const variable = (name: string) => new RegExp(`^export ${name}=(.*)$`, 'm').exec(said)?.[1] ?? '';
			const {url, headers} = JSON.parse(code.replace('tbx_live_…', variable('TINBOX_API_KEY'))).mcpServers.tinbox;
			const own = new URL(new URL(url).pathname, variable('TINBOX_URL'));
			const transport = new StreamableHTTPClientTransport(own, {requestInit: {headers}}) as Transport;
			expect(await (await Agent.connect(transport)).createInbox()).toMatch(/@tinbox\.test$/);
		},
	},
};
