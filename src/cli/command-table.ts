import type {Command} from 'commander';
import {addInboxCommands} from './commands/inbox/group.js';
import {addMessagesCommands} from './commands/messages/group.js';
import type {Context} from './context.js';

/** Gives a command its arguments, options and action, or its subcommands. */
export type Fill = (command: Command, context: Context) => void;

export type Entry = {
	readonly name: string;
	readonly description: string;
	/** The heading in the help under which it stands; none for what only programs call. */
	readonly section?: string;
	/** Set when it looks at the other commands, too. */
	readonly needsAll?: true;
	load(): Fill | Promise<Fill>;
};

/** The top-level commands in the order of the help. What scripts call all the time is there at start, the rest on demand. */
export const commandTable: readonly Entry[] = [
	{name: 'inbox', description: 'create, list and delete inboxes', section: 'Mail:', load: () => addInboxCommands},
	{
		name: 'messages',
		description: 'wait for messages, read, save and delete them',
		section: 'Mail:',
		load: () => addMessagesCommands,
	},
	{
		name: 'watch',
		description: 'show inboxes, messages and webhooks live in the terminal',
		section: 'Mail:',
		load: async () => (await import('./commands/watch.js')).fillWatch,
	},
	{
		name: 'send',
		description: 'send a mail to an inbox',
		section: 'Mail:',
		load: async () => (await import('./commands/send.js')).fillSend,
	},
	{
		name: 'webhooks',
		description: 'have new messages announced to your app, and receive them here',
		section: 'Webhooks:',
		load: async () => (await import('./commands/webhooks/group.js')).addWebhooksCommands,
	},
	{
		name: 'teams',
		description: 'share inboxes with other users',
		section: 'Account:',
		load: async () => (await import('./commands/teams/group.js')).addTeamsCommands,
	},
	{
		name: 'keys',
		description: 'create, list and revoke API keys',
		section: 'Account:',
		load: async () => (await import('./commands/keys/group.js')).addKeysCommands,
	},
	{
		name: 'login',
		description: 'use a daemon as the user of a token',
		section: 'Account:',
		load: async () => (await import('./commands/login.js')).fillLogin,
	},
	{
		name: 'logout',
		description: 'forget a login',
		section: 'Account:',
		load: async () => (await import('./commands/logout.js')).fillLogout,
	},
	{
		name: 'whoami',
		description: 'show who you are, where, and by what',
		section: 'Account:',
		load: async () => (await import('./commands/whoami.js')).fillWhoami,
	},
	{
		name: 'plans',
		description: 'show what each plan allows',
		section: 'Account:',
		load: async () => (await import('./commands/plans.js')).fillPlans,
	},
	{
		name: 'run',
		description: 'run a command with a tinbox of its own',
		section: 'Daemon:',
		load: async () => (await import('./commands/run.js')).fillRun,
	},
	{
		name: 'daemon',
		description: 'start, stop and inspect the daemon',
		section: 'Daemon:',
		load: async () => (await import('./commands/daemon/group.js')).addDaemonCommands,
	},
	{
		name: 'users',
		description: 'let more people use the daemon',
		section: 'Daemon:',
		load: async () => (await import('./commands/users/group.js')).addUsersCommands,
	},
	{
		name: 'doctor',
		description: 'send a mail through every stage and tell what does not work',
		section: 'Help:',
		load: async () => (await import('./commands/doctor.js')).fillDoctor,
	},
	{
		name: 'completion',
		description: 'print the completions for a shell',
		section: 'Help:',
		load: async () => (await import('./commands/completion.js')).fillCompletion,
	},
	{
		name: 'help',
		description: 'explain a command or a topic',
		section: 'Help:',
		needsAll: true,
		load: async () => (await import('./commands/help.js')).fillHelp,
	},
	{
		name: '__complete',
		description: 'answer the completions of the shells',
		load: async () => (await import('./commands/complete.js')).fillComplete,
	},
];
