/** Words of other programs for what a group of commands does; the first that the group has is meant. */
const verbs = Object.entries<readonly string[]>({
	add: ['create', 'invite'],
	create: ['add'],
	new: ['create', 'add'],
	get: ['show', 'list'],
	read: ['show'],
	view: ['show'],
	cat: ['show'],
	ls: ['list'],
	rm: ['delete', 'revoke', 'remove', 'clear'],
	remove: ['delete', 'revoke', 'clear'],
	delete: ['revoke', 'clear'],
	edit: ['update', 'rename'],
	set: ['update', 'rename'],
	search: ['list'],
	find: ['list'],
	watch: ['tail'],
	logs: ['deliveries'],
});

/** The same for whole lines. */
const lines = Object.entries({
	start: 'daemon start',
	stop: 'daemon stop',
	restart: 'daemon restart',
	status: 'daemon status',
	logs: 'daemon logs',
	create: 'inbox create',
	new: 'inbox create',
	list: 'inbox list',
	ls: 'inbox list',
	wait: 'messages wait <inbox>',
	tail: 'messages tail',
	msg: 'messages',
	mail: 'messages',
	fault: 'faults',
	browser: 'open',
	web: 'open',
	ui: 'open',
	chaos: 'faults',
	version: '--version',
	'-v': '--version',
	'inbox clear': 'messages delete <inbox> --all',
	'inbox empty': 'messages delete <inbox> --all',
	'inbox purge': 'messages delete <inbox> --all',
	'inbox wait': 'messages wait <inbox>',
	'messages clear': 'messages delete <inbox> --all',
	'messages purge': 'messages delete <inbox> --all',
});

/** Flags that mean one of here wherever it is taken. */
const flags = Object.entries({'--output': '--json', '-o': '--json'});

/** The line that was meant by a word which the group of commands does not know, without `tinbox`; a group may be the empty one. */
export function meantCommand(group: string, word: string, known: readonly string[]): string | undefined {
	const verb = new Map(verbs).get(word)?.find(candidate => known.includes(candidate));
	return new Map(lines).get(`${group} ${word}`.trim()) ?? (verb && `${group} ${verb}`);
}

/** The flag that was meant by one that the command does not know. */
export function meantFlag(flag: string, known: readonly string[]): string | undefined {
	const meant = new Map(flags).get(flag);
	return meant !== undefined && known.includes(meant) ? meant : undefined;
}
