import {Command} from 'commander';
import {version} from '../lib/version.js';
import {addInboxCommands} from './commands/inbox.js';
import {addMessagesCommands} from './commands/messages/index.js';
import {setProfile} from './connect/profiles.js';
import type {Context} from './context.js';
import {helpLayout, helpWidth} from './help-layout.js';
import {addHelpNote} from './options.js';
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
 * Creates the part of the command tree that `words` need: the command of the first word, or all commands if it is unknown or
 * `help`. Only commands in `words` are loaded with their arguments and subcommands.
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

/** Adds arguments, options and an action, or subcommands, to a command. */
type Fill = (command: Command, context: Context) => void;

type CommandName = keyof typeof loaders;

type Entry = {
	readonly name: string;
	readonly description: string;
	/** Heading in the help; undefined hides the command. */
	readonly section: string | undefined;
	load(): Fill | Promise<Fill>;
};

/** Loads each command. Commands that scripts call often are part of the start-up bundle. */
const loaders = {
	inbox: () => addInboxCommands,
	messages: () => addMessagesCommands,
	watch: async () => (await import('./commands/watch.js')).fillWatch,
	open: async () => (await import('./commands/watch.js')).fillOpen,
	send: async () => (await import('./commands/send.js')).fillSend,
	sendmail: async () => (await import('./commands/sendmail.js')).fillSendmail,
	faults: async () => (await import('./commands/faults.js')).addFaultsCommands,
	templates: async () => (await import('./commands/templates.js')).addTemplatesCommands,
	webhooks: async () => (await import('./commands/webhooks.js')).addWebhooksCommands,
	teams: async () => (await import('./commands/teams.js')).addTeamsCommands,
	keys: async () => (await import('./commands/keys.js')).addKeysCommands,
	login: async () => (await import('./commands/login.js')).fillLogin,
	logout: async () => (await import('./commands/login.js')).fillLogout,
	whoami: async () => (await import('./commands/login.js')).fillWhoami,
	plans: async () => (await import('./commands/users.js')).fillPlans,
	run: async () => (await import('./commands/run.js')).fillRun,
	mcp: async () => (await import('./commands/mcp.js')).fillMcp,
	daemon: async () => (await import('./commands/daemon.js')).addDaemonCommands,
	tls: async () => (await import('./commands/tls.js')).addTlsCommands,
	store: async () => (await import('./commands/store.js')).addStoreCommands,
	users: async () => (await import('./commands/users.js')).addUsersCommands,
	api: async () => (await import('./commands/kit.js')).addApiCommands,
	doctor: async () => (await import('./commands/doctor.js')).fillDoctor,
	kit: async () => (await import('./commands/kit.js')).fillKit,
	completion: async () => (await import('./commands/completion.js')).fillCompletion,
	help: async () => (await import('./commands/help.js')).fillHelp,
	__complete: async () => (await import('./commands/completion.js')).fillComplete,
} satisfies Readonly<Record<string, Entry['load']>>;

/** Top-level commands in the order of the help. */
export const commandTable: readonly Entry[] = [
	entry('Mail:', 'inbox', 'create, list, update and delete inboxes'),
	entry('Mail:', 'messages', 'wait for, read, save and delete messages'),
	entry('Mail:', 'watch', 'show inboxes and messages live in the terminal'),
	entry('Mail:', 'open', 'show inboxes and messages live in the browser'),
	entry('Mail:', 'send', 'send a mail to inboxes'),
	entry('Mail:', 'sendmail', 'send a mail like the sendmail program'),
	entry('Mail:', 'faults', 'simulate delivery failures to test retries'),
	entry('Mail:', 'templates', 'manage sending-API templates'),
	entry('Webhooks:', 'webhooks', 'manage webhook endpoints and receive webhooks locally'),
	entry('Account:', 'teams', 'share inboxes with other users'),
	entry('Account:', 'keys', 'manage API keys and web sessions'),
	entry('Account:', 'login', 'log in to a daemon with a token'),
	entry('Account:', 'logout', 'log out and remove a profile'),
	entry('Account:', 'whoami', 'show the current user, daemon and credentials'),
	entry('Account:', 'plans', 'show the limits of each plan'),
	entry('Daemon:', 'run', 'run a command with a private, temporary daemon'),
	entry('Daemon:', 'mcp', 'give an agent inboxes over the Model Context Protocol'),
	entry('Daemon:', 'daemon', 'start, stop and inspect the daemon'),
	entry('Daemon:', 'tls', 'make programs trust the certificates of the daemon'),
	entry('Daemon:', 'store', 'copy all data to another store'),
	entry('Daemon:', 'users', 'manage the users of the daemon'),
	entry('Daemon:', 'kit', 'print the test helpers for a test framework'),
	entry('Daemon:', 'api', 'print the OpenAPI document of the API'),
	entry('Help:', 'doctor', 'check the daemon by sending and reading a mail'),
	entry('Help:', 'completion', 'print the completion script for a shell'),
	entry('Help:', 'help', 'show the help of a command or topic'),
	entry(undefined, '__complete', 'print completions for a shell script'),
];

function entry(section: string | undefined, name: CommandName, description: string): Entry {
	return {name, description, section, load: loaders[name]};
}
