import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmod, readdir, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {completionFiles} from '../../src/cli/commands/completion.js';
import {inboxBody, messageBody} from '../helpers/bodies.js';
import {bin, ownEnv, runCli} from '../helpers/cli.js';
import {httpStub} from '../helpers/http-stub.js';
import {tempDir} from '../helpers/temp-dir.js';

const completions = path.join(import.meta.dirname, '../../completions');

const names = ['with space', "it's", 'dollar $(touch pwned)'];

const inboxes = [
	inboxBody({id: 'id-0', email_address: 'user+tag@tinbox.test', name: null}),
	...names.map((name, index) => inboxBody({id: `id-${index + 1}`, email_address: `${index + 1}@x.test`, name})),
];

/** The text typed before TAB, and the arguments of the resulting command. */
const rows = [
	{typed: 'inb', words: ['inbox']},
	{typed: 'inbox sho', words: ['inbox', 'show']},
	{typed: 'inbox create --na', words: ['inbox', 'create', '--name']},
	{typed: 'daemon status --format e', words: ['daemon', 'status', '--format', 'env']},
	{typed: 'inbox show us', words: ['inbox', 'show', 'user+tag@tinbox.test']},
	{typed: 'inbox show user+tag@', words: ['inbox', 'show', 'user+tag@tinbox.test']},
	{typed: 'inbox show wi', words: ['inbox', 'show', 'with space']},
	{typed: 'inbox show with\\ s', words: ['inbox', 'show', 'with space']},
	{typed: 'inbox show it', words: ['inbox', 'show', "it's"]},
	{typed: 'inbox show dol', words: ['inbox', 'show', 'dollar $(touch pwned)']},
	{typed: 'messages show id-0 mess', words: ['messages', 'show', 'id-0', 'message-1']},
	{typed: 'send id-0 --attach att', words: ['send', 'id-0', '--attach', 'attached.txt']},
] as const;

type World = {readonly home: string; readonly env: Record<string, string>};

/** Creates a folder with a `tinbox` that answers completions and otherwise records its arguments in the file `words`. */
async function openWorld(): Promise<World> {
	const home = await tempDir();
	const {url} = await httpStub(({url}) =>
		url.includes('/messages')
			? {body: [messageBody()]}
			: {body: {...inboxes[0], inboxes, total: inboxes.length, page: 1, limit: 100}},
	);
	const command = path.join(home, 'tinbox');
	await writeFile(
		command,
		`#!/bin/sh
[ "$1" = __complete ] && exec '${process.execPath}' '${bin}' "$@"
printf '%s\\n' "$@" > '${home}/words.new' && mv '${home}/words.new' '${home}/words'
`,
	);
	await chmod(command, 0o755);
	await writeFile(path.join(home, 'attached.txt'), '');
	const own = ownEnv(home);
	const PATH = `${home}:${own['PATH']}`;
	return {home, env: {...own, PATH, TINBOX_URL: url, TINBOX_API_KEY: 'tbx_live_x', TERM: 'xterm', ZDOTDIR: home}};
}

/** Command line of each shell, interactive and with the completions loaded. */
const interactive = {
	bash: `bash --noprofile --rcfile '${completions}/tinbox.bash' -i`,
	zsh: 'zsh -i',
};

const zshrc = `PS1='$ '; autoload -Uz compinit; compinit -u -D; source '${completions}/_tinbox'\n`;

/** Types into a shell in a new terminal and returns the arguments of the `tinbox` command that it runs. */
async function typeInShell(shell: keyof typeof interactive, keys: string, {home, env}: World): Promise<string[]> {
	await writeFile(path.join(home, '.zshrc'), zshrc);
	const terminal = spawn('script', ['-qfec', interactive[shell], '/dev/null'], {
		cwd: home,
		env,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	const ended = once(terminal, 'exit');
	onTestFinished(async () => {
		terminal.kill('SIGKILL');
		await ended;
	});
	terminal.stdin.write(keys);
	const words = await vi.waitFor(async () => readFile(path.join(home, 'words'), 'utf8'), {
		timeout: 20_000,
		interval: 50,
	});
	return words.split('\n').slice(0, -1);
}

/** Candidates of fish, which needs no terminal. */
async function fishCandidates(typed: string, {home, env}: World): Promise<string[]> {
	const script = `source '${completions}/tinbox.fish'; complete -C "tinbox $argv[1]"`;
	const {stdout} = await execa('fish', ['--no-config', '-c', script, typed], {cwd: home, env, extendEnv: false});
	return stdout.split('\n').map(line => line.split('\t')[0] ?? '');
}

function isInstalled(command: string): boolean {
	try {
		execFileSync(command, ['--version'], {stdio: 'ignore'});
		return true;
	} catch {
		return false;
	}
}

const shells = (['bash', 'zsh', 'fish'] as const).filter(isInstalled);

test('bash is installed, so that its completions are tested', () => {
	for (const missing of ['zsh', 'fish'].filter(name => !shells.some(shell => shell === name))) {
		console.warn(`${missing} is not installed here: its completions are not tested.`);
	}

	expect(shells).toContain('bash');
});

describe.each(shells.filter(shell => shell !== 'fish'))('TAB in %s', shell => {
	// Completion gives up after 300 ms, which is too short on a busy machine: hence the retries.
	test.each(rows)('completes $typed', {retry: 5}, async ({typed, words}) => {
		expect(await typeInShell(shell, `tinbox ${typed}\t\r`, await openWorld())).toEqual(words);
	});

	test('executes no command substitution in the typed line', async () => {
		const world = await openWorld();
		// Ctrl-U deletes the line before it is executed.
		const keys = 'tinbox inbox delete $(touch a) `touch b` "$(touch c)" us\t\x15tinbox done\r';
		expect(await typeInShell(shell, keys, world)).toEqual(['done']);
		expect(await readdir(world.home)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^[abc]$|pwned/)]));
	});
});

describe.each(shells.filter(shell => shell === 'fish'))('completion in %s', () => {
	test.each(rows)('completes $typed', {retry: 5}, async ({typed, words}) => {
		const last = words.at(-1);
		expect(await fishCandidates(typed, await openWorld())).toContain(last);
	});

	test('executes no command substitution in the typed line', async () => {
		const world = await openWorld();
		expect(await fishCandidates('inbox delete $(touch a) (touch b) "$(touch c)" us', world)).toContain(
			'user+tag@tinbox.test',
		);
		expect(await readdir(world.home)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^[abc]$|pwned/)]));
	});
});

test.each(Object.entries(completionFiles))(
	'tinbox completion %s prints the packaged completion file',
	async (shell, file) => {
		const {stdout, stderr, exitCode} = await runCli(ownEnv(await tempDir()), ['completion', shell]);
		expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
		expect(stdout).toBe(await readFile(path.join(completions, file), 'utf8'));
	},
);
