import {mkdtemp, open, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import type {Input} from '../../../src/tui/keys/decode.js';
import {createKeyReader} from '../../../src/tui/keys/reader.js';
import {clipboardSequence} from '../../../src/tui/terminal/clipboard.js';
import {createDisplay} from '../../../src/tui/terminal/display.js';
import {guardTerminal} from '../../../src/tui/terminal/life.js';
import {createPainter} from '../../../src/tui/terminal/painter.js';
import {saveFile} from '../../../src/tui/terminal/save-file.js';
import {createScreen} from '../../../src/tui/terminal/screen.js';
import {VirtualScreen} from '../../helpers/virtual-screen.js';

async function tempFile(): Promise<{readonly fd: number; read(): Promise<string>}> {
	const dir = await mkdtemp(path.join(tmpdir(), 'tinbox-'));
	const file = await open(path.join(dir, 'terminal'), 'w');
	onTestFinished(async () => {
		await file.close();
		await rm(dir, {recursive: true});
	});
	return {fd: file.fd, read: async () => readFile(path.join(dir, 'terminal'), 'utf8')};
}

describe('the painter', () => {
	test('brings every frame to the screen, whatever was there before, and touches only what changed', () => {
		const frames = fc.array(fc.array(fc.stringMatching(/^[a-c日 ]{0,6}$/), {minLength: 1, maxLength: 6}), {
			maxLength: 8,
		});
		fc.assert(
			fc.property(frames, sequence => {
				const screen = new VirtualScreen(8, 20);
				let written = '';
				const painter = createPainter(text => {
					written = text;
					screen.write(text);
				});
				for (const frame of sequence) {
					painter.paint(frame.join('\n'));
					expect(screen.text.trimEnd()).toBe(
						frame
							.map(line => line.trimEnd())
							.join('\n')
							.trimEnd(),
					);
					written = '';
					painter.paint(frame.join('\n'));
					expect(written).toBe('');
				}

				expect(screen.foreign).toEqual([]);
			}),
		);
	});

	test('writes a frame whole once the terminal has lost the one before', () => {
		const written: string[] = [];
		const painter = createPainter(text => written.push(text));
		painter.paint('a\nb');
		painter.forget();
		painter.paint('a\nb');
		expect(written[1]).toBe(written[0]);
	});
});

describe('the screen', () => {
	test('is left as it was entered, however often', async () => {
		const file = await tempFile();
		const screen = createScreen(file.fd);
		screen.leave();
		screen.enter();
		screen.leave();
		screen.leave();
		const written = await file.read();
		const set = [...written.matchAll(/\x1b\[(\??\d+)h/g)].map(([, mode]) => mode);
		const reset = [...written.matchAll(/\x1b\[(\??\d+)l/g)].map(([, mode]) => mode);
		expect(set.sort()).toEqual(reset.sort());
		expect(set).toHaveLength(5);
	});

	test('nothing fails when the terminal is gone', () => {
		const screen = createScreen(9999);
		screen.enter();
		screen.leave();
	});
});

function fakeDisplay(frame = () => 'frame') {
	const calls: string[] = [];
	const note = (call: string) => () => void calls.push(call);
	const display = createDisplay({
		screen: {enter: note('enter'), leave: note('leave'), clear: note('clear'), send: () => {}},
		keys: {start: note('keys on'), stop: note('keys off')},
		painter: {paint: text => calls.push(`paint ${text}`), forget: note('forget')},
		frame,
		onCrash: error => calls.push(`crash ${error}`),
	});
	onTestFinished(() => display.hide());
	return {display, calls};
}

describe('the display', () => {
	test('makes at most ten frames a second, and the last one is what is shown', async () => {
		let changes = 0;
		const {display, calls} = fakeDisplay(() => String(changes));
		display.show();
		const start = performance.now();
		while (performance.now() - start < 350) {
			changes++;
			display.changed();
			await new Promise(resolve => setTimeout(resolve, 1));
		}

		await vi.waitFor(() => expect(calls.at(-1)).toBe(`paint ${changes}`));
		const seconds = (performance.now() - start) / 1000;
		expect(calls.filter(call => call.startsWith('paint')).length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 1);
	});

	test('gives the terminal away and takes it back, also when what came in between failed', async () => {
		const {display, calls} = fakeDisplay();
		display.show();
		await vi.waitFor(() => expect(calls).toContain('paint frame'));
		calls.length = 0;
		const fail = () => {
			calls.push('work');
			throw new Error('It failed.');
		};
		expect(() => display.aside(fail)).toThrow('It failed.');
		expect(calls).toEqual(['keys off', 'leave', 'work', 'enter', 'keys on', 'forget']);
	});

	test('tells of a frame that could not be made', async () => {
		const {display, calls} = fakeDisplay(() => {
			throw new Error('It broke.');
		});
		display.show();
		await vi.waitFor(() => expect(calls).toContain('crash Error: It broke.'));
	});
});

describe('the guard', () => {
	test('puts the terminal back on an uncaught exception and at the end, and is gone once released', () => {
		const before = process.eventNames().map(name => [name, process.listenerCount(name)]);
		const restore = vi.fn();
		const resume = vi.fn();
		const release = guardTerminal({restore, resume});
		process.listeners('uncaughtExceptionMonitor').at(-1)?.(new Error('It broke.'), 'uncaughtException');
		expect(restore).toHaveBeenCalledTimes(1);
		process.emit('SIGCONT', 'SIGCONT');
		expect(resume).toHaveBeenCalledTimes(1);
		release();
		expect(process.eventNames().map(name => [name, process.listenerCount(name)])).toEqual(before);
	});
});

describe('the key reader', () => {
	class FakeStdin {
		readonly calls: string[] = [];
		#read: ((chunk: string) => void) | undefined;
		type(chunk: string): void {
			this.#read?.(chunk);
		}

		on(_: string, read: (chunk: string) => void) {
			this.#read = read;
			return this;
		}

		off() {
			this.#read = undefined;
			return this;
		}

		setEncoding = () => this;
		resume = () => this;
		setRawMode = (isRaw: boolean) => {
			this.calls.push(`raw ${isRaw}`);
			return this;
		};
	}

	test('gives out keys as they come, an Escape after a moment, and nothing once stopped', async () => {
		const stdin = new FakeStdin();
		const inputs: Input[] = [];
		const reader = createKeyReader(stdin as never, input => inputs.push(input));
		reader.start();
		stdin.type('jk\x1b');
		expect(inputs).toHaveLength(2);
		await vi.waitFor(() => expect(inputs.at(-1)).toEqual({type: 'key', key: 'escape'}));
		stdin.type('\x1b[');
		stdin.type('A');
		expect(inputs.at(-1)).toEqual({type: 'key', key: 'up'});
		reader.stop();
		stdin.type('q');
		expect(inputs).toHaveLength(4);
		expect(stdin.calls).toEqual(['raw true', 'raw false']);
	});
});

test('the clipboard gets a text of any characters in one sequence', () => {
	expect(clipboardSequence('日\x1b]')).toBe(`\x1b]52;c;${Buffer.from('日\x1b]').toString('base64')}\x07`);
});

test('an attachment is saved under a harmless name in the working directory, and replaces nothing', async () => {
	const dir = await mkdtemp(path.join(tmpdir(), 'tinbox-'));
	const before = process.cwd();
	process.chdir(dir);
	onTestFinished(async () => {
		process.chdir(before);
		await rm(dir, {recursive: true});
	});
	expect(await saveFile('../../etc/pass\x1b[31mwd.txt', Buffer.from('1'))).toBe('passwd.txt');
	expect(await saveFile('/passwd.txt', Buffer.from('2'))).toBe('passwd-1.txt');
	expect(await saveFile('..', Buffer.from('3'))).toBe('attachment');
	expect((await readdir(dir)).sort()).toEqual(['attachment', 'passwd-1.txt', 'passwd.txt']);
	expect(await readFile('passwd.txt', 'utf8')).toBe('1');
});
