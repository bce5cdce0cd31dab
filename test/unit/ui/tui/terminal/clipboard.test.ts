import {readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {copyByMeans} from '../../../../../src/ui/tui/terminal/screen.js';
import {tempDir} from '../../../../helpers/temp-dir.js';

const copies = 'cat > "$0.copied"; printf "%s|" "$@" > "$0.given"';

/** The programs of a machine, each a shell script, alone on the `PATH`; and what the terminal was given. */
async function machine(programs: Readonly<Record<string, string>>) {
	const folder = await tempDir();
	for (const [name, script] of Object.entries(programs)) {
		await writeFile(path.join(folder, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, {mode: 0o755});
	}

	const before = process.env['PATH'];
	process.env['PATH'] = folder;
	onTestFinished(() => void Object.assign(process.env, {PATH: before}));
	const given: string[] = [];
	return {
		given,
		copy: async (text: string, env: NodeJS.ProcessEnv) => copyByMeans(text, env, sent => given.push(sent)),
		read: async (name: string) => readFile(path.join(folder, name), 'utf8'),
	};
}

const everywhere = {WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0', TMUX: '/run/tmux', WSL_DISTRO_NAME: 'Debian'};
const text = '日本語 $(touch x) "\'';

test.skipIf(process.platform !== 'linux').each([
	['wl-copy', '|'],
	['xclip', '-selection|clipboard|'],
	['xsel', '--clipboard|--input|'],
	['tmux', 'load-buffer|-w|-|'],
])('the text is handed to %s as it is, where that is there', async (name, args) => {
	const {copy, read, given} = await machine({[name]: copies, 'clip.exe': copies});
	expect(await copy(text, everywhere)).toBe(name);
	expect(await read(`${name}.copied`)).toBe(text);
	expect(await read(`${name}.given`)).toBe(args);
	expect(given).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('the clipboard of Windows receives UTF-16', async () => {
	const {copy, read} = await machine({'clip.exe': 'cat > "$0.copied"'});
	expect(await copy('é', everywhere)).toBe('clip.exe');
	expect(Buffer.from(await read('clip.exe.copied')).includes(0)).toBe(true);
});

test.skipIf(process.platform !== 'linux')(
	'a copy program that is missing or fails is followed by the next one',
	async () => {
		const {copy, read} = await machine({'wl-copy': 'exit 1', xclip: copies, tmux: copies});
		expect(await copy('a', everywhere)).toBe('xclip');
		expect(await copy('b', {TMUX: '/run/tmux'})).toBe('tmux');
		expect(await read('tmux.copied')).toBe('b');
	},
);

test.skipIf(process.platform !== 'linux')(
	'without a copy program the terminal receives the text, also a large one',
	async () => {
		const {copy, given} = await machine({'wl-copy': 'exit 3', xclip: 'exit 1', xsel: 'exit 1', tmux: 'exit 1'});
		const large = 'x'.repeat(1 << 20);
		expect(await copy(large, {...everywhere, WSL_DISTRO_NAME: undefined})).toBe('terminal clipboard, OSC 52');
		expect(await copy('b', {})).toBe('terminal clipboard, OSC 52');
		expect(given).toEqual([large, 'b']);
	},
);
