import {type Command, InvalidArgumentError} from 'commander';
import {allInboxes, type McpExtra, mcpExtras} from '../../contract/constants.js';
import {causeOf} from '../../lib/errors.js';
import type {Context} from '../context.js';
import {findInbox} from '../find.js';
import {addExamples, addHelpNote, collect} from '../options.js';
import {note} from '../output/print.js';

type McpFlags = {readonly inbox?: readonly string[]; readonly allow?: readonly McpExtra[]};

export function fillMcp(command: Command, context: Context): void {
	addExamples(command, 'claude mcp add tinbox -- npx tinbox mcp', 'tinbox mcp --inbox signup --allow send,faults');
	const shareHelp = `share an inbox (id, address, name, or "${allInboxes}" to read all); repeatable`;
	command
		.option('--inbox <inbox>', shareHelp, collect)
		.option('--allow <what>', `additional tools, comma-separated: ${mcpExtras.join(', ')}`, readExtras)
		.action(async (flags: McpFlags) => serve(flags, context));
	addHelpNote(
		command,
		`MCP clients start this command and talk to it over stdin and stdout. Configuration of a client:

  {"mcpServers": {"tinbox": {"command": "npx", "args": ["tinbox", "mcp"]}}}

The agent can create inboxes, wait for mail, codes and links, and delete its inboxes. It sees other inboxes only with --inbox. The daemon offers the same tools at /mcp, with an API key.`,
	);
}

function readExtras(text: string, others: readonly McpExtra[] = []): readonly McpExtra[] {
	const names = text.split(',').map(name => name.trim());
	const stranger = names.find(name => !mcpExtras.some(extra => extra === name));
	if (stranger !== undefined) {
		throw new InvalidArgumentError(`Unknown tool "${stranger}". The tools are: ${mcpExtras.join(', ')}.`);
	}

	return [...others, ...mcpExtras.filter(extra => names.includes(extra))];
}

async function serve({inbox: names = [], allow: extras = []}: McpFlags, context: Context): Promise<void> {
	const {io} = context;
	const client = await context.api();
	const named = await Promise.all(names.filter(name => name !== allInboxes).map(async name => findInbox(client, name)));
	const shared = {named, all: names.includes(allInboxes)};
	const {serveStdio} = await import('../../mcp/stdio.js');
	if (io.stdin.isTTY) {
		note(io, 'This command talks to MCP clients over stdin and stdout. Press Ctrl-D to end it. See: tinbox mcp --help');
	}

	const onError = (error: unknown) => note(io, `tinbox mcp: ${causeOf(error)}`);
	await serveStdio({client, shared, extras, stdin: process.stdin, stdout: process.stdout, onError});
}
