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
	sendmail: async () => (await import('./commands/sendmail/index.js')).fillSendmail,
	faults: async () => (await import('./commands/faults/index.js')).addFaultsCommands,
	templates: async () => (await import('./commands/templates.js')).addTemplatesCommands,
	webhooks: async () => (await import('./commands/webhooks/index.js')).addWebhooksCommands,
	teams: async () => (await import('./commands/teams.js')).addTeamsCommands,
	keys: async () => (await import('./commands/keys.js')).addKeysCommands,
	login: async () => (await import('./commands/login.js')).fillLogin,
	logout: async () => (await import('./commands/logout.js')).fillLogout,
	whoami: async () => (await import('./commands/whoami.js')).fillWhoami,
	plans: async () => (await import('./commands/plans.js')).fillPlans,
	run: async () => (await import('./commands/run.js')).fillRun,
	mcp: async () => (await import('./commands/mcp.js')).fillMcp,
	daemon: async () => (await import('./commands/daemon/index.js')).addDaemonCommands,
	tls: async () => (await import('./commands/tls/index.js')).addTlsCommands,
	store: async () => (await import('./commands/store/index.js')).addStoreCommands,
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
	entry('Mail:', 'inbox', 'create, list and delete inboxes'),
	entry('Mail:', 'messages', 'wait for messages, read, save and delete them'),
	entry('Mail:', 'watch', 'show inboxes, messages and webhooks live in the terminal'),
	entry('Mail:', 'open', 'show inboxes, messages and webhooks live in the browser'),
	entry('Mail:', 'send', 'send a mail to an inbox'),
	entry('Mail:', 'sendmail', 'send a mail as programs do that call sendmail'),
	entry('Mail:', 'faults', 'have mail go wrong on purpose, and prove that the app tries again'),
	entry('Mail:', 'templates', 'register what mail of sending APIs is filled in from'),
	entry('Webhooks:', 'webhooks', 'have new messages announced to your app, and receive them here'),
	entry('Account:', 'teams', 'share inboxes with other users'),
	entry('Account:', 'keys', 'create, list and revoke API keys, and log browsers out'),
	entry('Account:', 'login', 'use a daemon as the user of a token'),
	entry('Account:', 'logout', 'forget a login'),
	entry('Account:', 'whoami', 'show who you are, where, and by what'),
	entry('Account:', 'plans', 'show what each plan allows'),
	entry('Daemon:', 'run', 'run a command with a tinbox of its own'),
	entry('Daemon:', 'mcp', 'give an agent inboxes of its own, by the Model Context Protocol'),
	entry('Daemon:', 'daemon', 'start, stop and inspect the daemon'),
	entry('Daemon:', 'tls', 'have programs trust the certificates of the daemon'),
	entry('Daemon:', 'store', 'copy all that is kept to another place'),
	entry('Daemon:', 'users', 'let more people use the daemon'),
	entry('Daemon:', 'kit', 'print what gives the tests of a framework inboxes'),
	entry('Daemon:', 'api', 'print the description of the API, for programs'),
	entry('Help:', 'doctor', 'send a mail through every stage and tell what does not work'),
	entry('Help:', 'completion', 'print the completions for a shell'),
	entry('Help:', 'help', 'explain a command or a topic'),
	entry(undefined, '__complete', 'answer the completions of the shells'),
];

function entry(section: string | undefined, name: CommandName, description: string): Entry {
	return {name, description, section, load: loaders[name]};
}
