import {Command} from 'commander';
import {version} from '../lib/version.js';
import {commandTable} from './command-table.js';
import {setProfile} from './connect/profiles.js';
import type {Context} from './context.js';
import {addHelpNote, helpLayout, helpWidth} from './help/layout.js';
import {exitCodes} from './output/exit.js';

const introduction = `Gives every test its own disposable inbox.

Examples:
  addr=$(tinbox inbox create)
  tinbox send "$addr" --subject Hello
  tinbox messages wait "$addr" --timeout 30s --field code
  tinbox run -- npm test
`;

const conclusion = `Help topics: environment, exit-codes, formatting, ci, tls, faults, sending.

To read a topic: tinbox help <topic>

Exit codes: ${exitCodes.ok} success, ${exitCodes.failed} failure, ${exitCodes.usage} wrong usage, \
${exitCodes.noDaemon} no daemon, ${exitCodes.denied} not authorized, ${exitCodes.notFound} not found, \
${exitCodes.conditionFailed} condition failed, ${exitCodes.timedOut} timeout.`;

/**
 * The part of the command tree that `words` need: only the command that the first word names; if it names none, or `help`,
 * all commands, of which those that `words` name have their arguments and subcommands.
 */
export async function createProgram(context: Context, words: readonly string[]): Promise<Command> {
	const {stdout, stderr} = context.io;
	const program = new Command('tinbox')
		.exitOverride()
		.configureOutput({
			writeOut: text => stdout.write(text),
			writeErr: text => stderr.write(text),
			// `run` prints errors.
			outputError: () => {},
			getOutHelpWidth: () => helpWidth(stdout),
			getErrHelpWidth: () => helpWidth(stderr),
		})
		.configureHelp(helpLayout)
		.version(version)
		.option('--profile <profile>', 'use this profile instead of the environment')
		.on('option:profile', (name: string) => setProfile(context.env, name))
		.addHelpText('before', introduction)
		.helpCommand(false);
	addHelpNote(program, conclusion);
	const named = commandTable.filter(({name}) => name === words[0] && name !== 'help');
	for (const {name, description, section, load} of named.length > 0 ? named : commandTable) {
		const command = program.command(name, {hidden: section === undefined}).description(description);
		command.helpGroup(section ?? '');
		if (words.includes(name)) {
			const fill = await load();
			fill(command, context);
		}
	}

	return program;
}
