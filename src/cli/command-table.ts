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
	send: async () => (await import('./commands/send.js')).fillSend,
	faults: async () => (await import('./commands/faults/index.js')).addFaultsCommands,
	webhooks: async () => (await import('./commands/webhooks/index.js')).addWebhooksCommands,
	teams: async () => (await import('./commands/teams.js')).addTeamsCommands,
	keys: async () => (await import('./commands/keys.js')).addKeysCommands,
	login: async () => (await import('./commands/login.js')).fillLogin,
	logout: async () => (await import('./commands/logout.js')).fillLogout,
	whoami: async () => (await import('./commands/whoami.js')).fillWhoami,
	plans: async () => (await import('./commands/plans.js')).fillPlans,
	run: async () => (await import('./commands/run.js')).fillRun,
	daemon: async () => (await import('./commands/daemon/index.js')).addDaemonCommands,
	tls: async () => (await import('./commands/tls/index.js')).addTlsCommands,
	store: async () => (await import('./commands/store/index.js')).addStoreCommands,
	users: async () => (await import('./commands/users.js')).addUsersCommands,
	doctor: async () => (await import('./commands/doctor.js')).fillDoctor,
	completion: async () => (await import('./commands/completion.js')).fillCompletion,
	help: async () => (await import('./commands/help.js')).fillHelp,
	__complete: async () => (await import('./commands/complete.js')).fillComplete,
} satisfies Readonly<Record<string, Entry['load']>>;

/** The top-level commands in the order of the help. */
export const commandTable: readonly Entry[] = [
	entry('Mail:', 'inbox', 'create, list and delete inboxes'),
	entry('Mail:', 'messages', 'wait for messages, read, save and delete them'),
	entry('Mail:', 'watch', 'show inboxes, messages and webhooks live in the terminal'),
	entry('Mail:', 'send', 'send a mail to an inbox'),
	entry('Mail:', 'faults', 'have mail go wrong on purpose, and prove that the app tries again'),
	entry('Webhooks:', 'webhooks', 'have new messages announced to your app, and receive them here'),
	entry('Account:', 'teams', 'share inboxes with other users'),
	entry('Account:', 'keys', 'create, list and revoke API keys'),
	entry('Account:', 'login', 'use a daemon as the user of a token'),
	entry('Account:', 'logout', 'forget a login'),
	entry('Account:', 'whoami', 'show who you are, where, and by what'),
	entry('Account:', 'plans', 'show what each plan allows'),
	entry('Daemon:', 'run', 'run a command with a tinbox of its own'),
	entry('Daemon:', 'daemon', 'start, stop and inspect the daemon'),
	entry('Daemon:', 'tls', 'have programs trust the certificates of the daemon'),
	entry('Daemon:', 'store', 'copy all that is kept to another place'),
	entry('Daemon:', 'users', 'let more people use the daemon'),
	entry('Help:', 'doctor', 'send a mail through every stage and tell what does not work'),
	entry('Help:', 'completion', 'print the completions for a shell'),
	entry('Help:', 'help', 'explain a command or a topic'),
	entry(undefined, '__complete', 'answer the completions of the shells'),
];

function entry(section: string | undefined, name: CommandName, description: string): Entry {
	return {name, description, section, load: loaders[name]};
}
