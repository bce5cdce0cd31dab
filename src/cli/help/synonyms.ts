/** Words of other programs for what a group of commands does; the first that the group has is meant. */
const verbs: Readonly<Record<string, readonly string[]>> = {
	add: ['create', 'invite'],
	new: ['create'],
	get: ['show', 'list'],
	read: ['show'],
	view: ['show'],
	cat: ['show'],
	ls: ['list'],
	rm: ['delete', 'revoke', 'remove'],
	remove: ['delete', 'revoke'],
	delete: ['revoke'],
	edit: ['update', 'rename'],
	set: ['update', 'rename'],
};

/** The same for whole lines. */
const lines: Readonly<Record<string, string>> = {
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
	version: '--version',
	'-v': '--version',
	'inbox clear': 'messages delete <inbox> --all',
	'inbox empty': 'messages delete <inbox> --all',
	'inbox purge': 'messages delete <inbox> --all',
};

/** Flags that mean one of here wherever it is taken. */
const flags: Readonly<Record<string, string>> = {'--output': '--json', '-o': '--json'};

/** The line that was meant by a word which the group of commands does not know, without `tinbox`; a group may be the empty one. */
export function meantCommand(group: string, word: string, known: readonly string[]): string | undefined {
	const line = Object.entries(lines).find(([name]) => name === `${group} ${word}`.trim())?.[1];
	const [, candidates = []] = Object.entries(verbs).find(([name]) => name === word) ?? [];
	const verb = candidates.find(candidate => known.includes(candidate));
	return line ?? (verb && `${group} ${verb}`);
}

/** The flag that was meant by one that the command does not know. */
export function meantFlag(flag: string, known: readonly string[]): string | undefined {
	const meant = Object.entries(flags).find(([name]) => name === flag)?.[1];
	return meant !== undefined && known.includes(meant) ? meant : undefined;
}
