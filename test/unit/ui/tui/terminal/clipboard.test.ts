import {readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {copyByMeans} from '../../../../../src/ui/tui/terminal/screen.js';
import {tempDir} from '../../../../helpers/temp-dir.js';

/** A copy program that records its stdin and its arguments in files. */
const recordingScript = 'cat > "$0.copied"; printf "%s|" "$@" > "$0.given"';

/** A PATH with only these shell scripts by name; `written` is the output to the terminal. */
async function withPrograms(programs: Readonly<Record<string, string>>) {
	const folder = await tempDir();
	for (const [name, script] of Object.entries(programs)) {
		await writeFile(path.join(folder, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, {mode: 0o755});
	}

	const before = process.env['PATH'];
	process.env['PATH'] = folder;
	onTestFinished(() => void Object.assign(process.env, {PATH: before}));
	const written: string[] = [];
	return {
		written,
		copy: async (text: string, env: NodeJS.ProcessEnv) => copyByMeans(text, env, output => written.push(output)),
		read: async (name: string) => readFile(path.join(folder, name), 'utf8'),
	};
}

const everyEnvironment = {WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0', TMUX: '/run/tmux', WSL_DISTRO_NAME: 'Debian'};
const text = '日本語 $(touch x) "\'';

test.skipIf(process.platform !== 'linux').each([
	['wl-copy', '|'],
	['xclip', '-selection|clipboard|'],
	['xsel', '--clipboard|--input|'],
	['tmux', 'load-buffer|-w|-|'],
])('the clipboard uses %s if it is installed and passes the text unchanged', async (name, args) => {
	const {copy, read, written} = await withPrograms({[name]: recordingScript, 'clip.exe': recordingScript});
	expect(await copy(text, everyEnvironment)).toBe(name);
	expect(await read(`${name}.copied`)).toBe(text);
	expect(await read(`${name}.given`)).toBe(args);
	expect(written).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('clip.exe receives the text as UTF-16', async () => {
	const {copy, read} = await withPrograms({'clip.exe': 'cat > "$0.copied"'});
	expect(await copy('é', everyEnvironment)).toBe('clip.exe');
	expect(Buffer.from(await read('clip.exe.copied')).includes(0)).toBe(true);
});

test.skipIf(process.platform !== 'linux')(
	'the clipboard falls back to the next copy program if one is missing or fails',
	async () => {
		const {copy, read} = await withPrograms({'wl-copy': 'exit 1', xclip: recordingScript, tmux: recordingScript});
		expect(await copy('a', everyEnvironment)).toBe('xclip');
		expect(await copy('b', {TMUX: '/run/tmux'})).toBe('tmux');
		expect(await read('tmux.copied')).toBe('b');
	},
);

test.skipIf(process.platform !== 'linux')(
	'the clipboard falls back to the terminal sequence OSC 52, also for a large text',
	async () => {
		const {copy, written} = await withPrograms({'wl-copy': 'exit 3', xclip: 'exit 1', xsel: 'exit 1', tmux: 'exit 1'});
		const large = 'x'.repeat(1 << 20);
		expect(await copy(large, {...everyEnvironment, WSL_DISTRO_NAME: undefined})).toBe('terminal clipboard, OSC 52');
		expect(await copy('b', {})).toBe('terminal clipboard, OSC 52');
		expect(written).toEqual([large, 'b']);
	},
);
