import type {Command} from 'commander';
import {addInboxCommands} from './commands/inbox.js';
import {addMessagesCommands} from './commands/messages/index.js';
import type {Context} from './context.js';

/** Gives a command its arguments, options and action, or its subcommands. */
type Fill = (command: Command, context: Context) => void;

type CommandName = keyof typeof loaders;

export type Entry = {
	readonly name: string;
	readonly description: string;
	/** Its heading in the help; none for a command that is hidden. */
	readonly section: string | undefined;
	load(): Fill | Promise<Fill>;
};

/** Commands that scripts call often are loaded at start, the rest on demand. */
const loaders = {
	inbox: () => addInboxCommands,
	messages: () => addMessagesCommands,
	watch: async () => (await import('./commands/watch.js')).fillWatch,
	open: async () => (await import('./commands/open.js')).fillOpen,
	send: async () => (await import('./commands/send.js')).fillSend,
	sendmail: async () => (await import('./commands/sendmail.js')).fillSendmail,
	faults: async () => (await import('./commands/faults.js')).addFaultsCommands,
	templates: async () => (await import('./commands/templates.js')).addTemplatesCommands,
	webhooks: async () => (await import('./commands/webhooks.js')).addWebhooksCommands,
	teams: async () => (await import('./commands/teams.js')).addTeamsCommands,
	keys: async () => (await import('./commands/keys.js')).addKeysCommands,
	login: async () => (await import('./commands/login.js')).fillLogin,
	logout: async () => (await import('./commands/logout.js')).fillLogout,
	whoami: async () => (await import('./commands/whoami.js')).fillWhoami,
	plans: async () => (await import('./commands/plans.js')).fillPlans,
	run: async () => (await import('./commands/run.js')).fillRun,
	mcp: async () => (await import('./commands/mcp.js')).fillMcp,
	daemon: async () => (await import('./commands/daemon.js')).addDaemonCommands,
	tls: async () => (await import('./commands/tls.js')).addTlsCommands,
	store: async () => (await import('./commands/store.js')).addStoreCommands,
	users: async () => (await import('./commands/users.js')).addUsersCommands,
	api: async () => (await import('./commands/api.js')).addApiCommands,
	doctor: async () => (await import('./commands/doctor.js')).fillDoctor,
	kit: async () => (await import('./commands/kit.js')).fillKit,
	completion: async () => (await import('./commands/completion.js')).fillCompletion,
	help: async () => (await import('./commands/help.js')).fillHelp,
	__complete: async () => (await import('./commands/complete.js')).fillComplete,
} satisfies Readonly<Record<string, Entry['load']>>;

/** The top-level commands in the order of the help. */
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
