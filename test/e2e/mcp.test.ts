import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {expect} from 'vitest';
import {bin, cliTest, runCli} from '../helpers/cli.js';
import {Agent} from '../helpers/mcp.js';

const startServer = (env: Record<string, string>, ...flags: readonly string[]) =>
	Agent.connect(
		new StdioClientTransport({command: process.execPath, args: [bin, 'mcp', ...flags], env, stderr: 'ignore'}),
	);

cliTest('an agent receives a sign-up code through an MCP server that starts the daemon', async ({cli, env}) => {
	await cli('inbox', 'create', '--name', 'given');
	await cli('daemon', 'stop');
	const agent = await startServer(env, '--inbox', 'given', '--allow', 'send,faults');
	const address = await agent.createInbox({name: 'signup'});
	const code = agent.call('get_code', {inbox: 'signup'});
	await cli('send', address, '--text', 'Your verification code is 493028.');
	expect((await code).object['code']).toBe('493028');
	expect(await agent.call('delete_inbox', {inbox: 'signup'})).toMatchObject({isError: false});
	expect(await agent.call('list_messages', {inbox: 'given'})).toMatchObject({isError: false});
	expect((await agent.client.listTools()).tools.map(({name}) => name)).toContain('add_fault');
});

/** JSON-RPC messages, one per line. */
const jsonLines = (...messages: readonly object[]) =>
	messages.map(message => `${JSON.stringify({jsonrpc: '2.0', ...message})}\n`).join('');

cliTest(
	'the MCP server writes only protocol to stdout, and exits after the end of stdin once all calls are answered',
	async ({env}) => {
		const input = [
			jsonLines(
				{
					id: 1,
					method: 'initialize',
					params: {protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {name: 'x', version: '1'}},
				},
				{method: 'notifications/initialized'},
				{
					id: 2,
					method: 'tools/call',
					params: {name: 'create_inbox', arguments: {name: 'one', address: 'one@tinbox.test'}},
				},
			),
			'this is no message\n',
			jsonLines({id: 3, method: 'tools/list'}),
		].join('');
		const {exitCode, stdout, stderr} = await runCli(env, ['mcp'], {input});
		const answers = stdout
			.trimEnd()
			.split('\n')
			.map(line => JSON.parse(line));
		expect(answers.map(({id}) => id).sort()).toEqual([1, 2, 3]);
		expect(answers.find(({id}) => id === 1).result.protocolVersion).toBe('2025-06-18');
		expect(answers.find(({id}) => id === 2).result.structuredContent.address).toBe('one@tinbox.test');
		expect(stderr).toContain('tinbox mcp: ');
		expect(exitCode).toBe(0);
	},
);

cliTest('the MCP server rejects an unknown inbox and an unknown tool on stderr', async ({cli}) => {
	const unknown = await cli('mcp', '--inbox', 'nobody');
	expect(unknown).toMatchObject({exitCode: 5, stdout: ''});
	expect(unknown.stderr).toContain('There is no inbox "nobody"');
	const wrong = await cli('mcp', '--allow', 'send,everything');
	expect(wrong).toMatchObject({exitCode: 2, stdout: ''});
	expect(wrong.stderr).toContain('Unknown tool "everything". The tools are: send, faults.');
});
