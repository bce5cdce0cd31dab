import {Command} from 'commander';
import {version} from '../lib/version.js';
import {addDaemonCommands} from './commands/daemon/group.js';
import {addInboxCommands} from './commands/inbox/group.js';
import {addMessagesCommands} from './commands/messages/group.js';
import {fillSend} from './commands/send.js';
import {addUsersCommands} from './commands/users/group.js';
import type {Context} from './context.js';

/** Fills in a command: its arguments, options and action, or its subcommands. */
export type Fill = (command: Command, context: Context) => void;

type Entry = {
	readonly name: string;
	readonly description: string;
	readonly section: string;
	readonly fill: Fill;
};

const entries: readonly Entry[] = [
	{name: 'inbox', description: 'create, list and delete inboxes', section: 'Mail:', fill: addInboxCommands},
	{
		name: 'messages',
		description: 'wait for messages, read, save and delete them',
		section: 'Mail:',
		fill: addMessagesCommands,
	},
	{name: 'send', description: 'send a mail to an inbox', section: 'Mail:', fill: fillSend},
	{name: 'daemon', description: 'start, stop and inspect the daemon', section: 'Daemon:', fill: addDaemonCommands},
	{name: 'users', description: 'let more people use the daemon', section: 'Daemon:', fill: addUsersCommands},
];

export const commandNames: readonly string[] = entries.map(({name}) => name);

const examples = `Gives every test its own disposable inbox.

Examples:
  addr=$(tinbox inbox create)
  tinbox send "$addr" --subject Hello
  tinbox messages wait "$addr" --timeout 30s --field code
`;

const exitCodeHelp = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no daemon, 4 credentials or permission, 5 not found,
6 a condition failed, 124 a wait timed out.`;

/** The command tree. Of the top-level commands, only those that `words` names are filled in: nobody else needs them. */
export function createProgram(context: Context, words: readonly string[]): Command {
	const {stdout, stderr} = context.io;
	const program = new Command('tinbox')
		.exitOverride()
		.configureOutput({
			writeOut: text => stdout.write(text),
			writeErr: text => stderr.write(text),
			// `run` prints errors.
			outputError: () => {},
			getOutHelpWidth: () => stdout.columns ?? 80,
			getErrHelpWidth: () => stderr.columns ?? 80,
		})
		.version(version)
		.addHelpText('before', examples)
		.addHelpText('after', exitCodeHelp);
	for (const {name, description, section, fill} of entries) {
		const command = program.command(name).description(description).helpGroup(section);
		if (words.includes(name)) {
			fill(command, context);
		}
	}

	return program;
}
