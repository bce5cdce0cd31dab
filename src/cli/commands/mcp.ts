import {type Command, InvalidArgumentError, Option} from 'commander';
import {allInboxes, type McpExtra, mcpExtras} from '../../contract/mcp.js';
import {causeOf} from '../../lib/errors.js';
import type {Context} from '../context.js';
import {findInbox} from '../find.js';
import {addExamples} from '../options.js';
import {note} from '../output/print.js';

type McpFlags = {readonly inbox?: readonly string[]; readonly allow?: readonly McpExtra[]};

export function fillMcp(command: Command, context: Context): void {
	addExamples(command, 'claude mcp add tinbox -- npx tinbox mcp', 'tinbox mcp --inbox signup --allow send,faults');
	command
		.addOption(
			new Option(
				'--inbox <inbox>',
				`hand over this inbox, too, by id, address or name, or have the agent read "${allInboxes}"; may be repeated`,
			).argParser((text: string, others: readonly string[] = []) => [...others, text]),
		)
		.addOption(
			new Option('--allow <what>', `further tools, separated by commas: ${mcpExtras.join(', ')}`).argParser(readExtras),
		)
		.addHelpText(
			'after',
			`
An MCP client starts it and talks to it on stdin and stdout: {"mcpServers": {"tinbox": {"command": "npx", "args": ["tinbox", "mcp"]}}}
The agent makes inboxes, waits for mail, codes and links, and deletes its inboxes. It sees no others unless --inbox names them. The daemon serves the same at /mcp, with an API key.`,
		)
		.action(async (flags: McpFlags) => serve(flags, context));
}

function readExtras(text: string, others: readonly McpExtra[] = []): readonly McpExtra[] {
	const names = text.split(',').map(name => name.trim());
	const extras = mcpExtras.filter(extra => names.includes(extra));
	const stranger = names.find(name => !mcpExtras.some(extra => extra === name));
	if (stranger !== undefined) {
		throw new InvalidArgumentError(`"${stranger}" cannot be allowed. There are: ${mcpExtras.join(', ')}.`);
	}

	return [...others, ...extras];
}

async function serve({inbox: names = [], allow: extras = []}: McpFlags, context: Context): Promise<void> {
	const {io} = context;
	const client = await context.api();
	const named = await Promise.all(names.filter(name => name !== allInboxes).map(async name => findInbox(client, name)));
	const shared = {named, all: names.includes(allInboxes)};
	const {serveStdio} = await import('../../mcp/stdio.js');
	if (io.stdin.isTTY) {
		note(io, 'This talks to MCP clients, on stdin and stdout. Ctrl-D ends it. See: tinbox mcp --help');
	}

	const onError = (error: unknown) => note(io, `tinbox mcp: ${causeOf(error)}`);
	await serveStdio({client, shared, extras, stdin: process.stdin, stdout: process.stdout, onError});
}
