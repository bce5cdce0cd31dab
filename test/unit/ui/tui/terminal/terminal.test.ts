import {mkdtemp, open, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {createKeyReader, type Input} from '../../../../../src/ui/tui/terminal/keyboard.js';
import {createDisplay, createScreen, guardTerminal, saveFile} from '../../../../../src/ui/tui/terminal/screen.js';
import {VirtualScreen} from '../../../../helpers/virtual-screen.js';

/** A terminal that keeps synchronous output in a file and other output in `frames`. */
async function fakeTerminal() {
	const dir = await mkdtemp(path.join(tmpdir(), 'tinbox-'));
	const file = await open(path.join(dir, 'terminal'), 'w');
	onTestFinished(async () => {
		await file.close();
		await rm(dir, {recursive: true});
	});
	const frames: string[] = [];
	return {
		fd: file.fd,
		frames,
		write: (text: string) => frames.push(text),
		read: async () => readFile(path.join(dir, 'terminal'), 'utf8'),
	};
}

describe('a painted frame', () => {
	test('reaches the screen, and only changed lines are written', () => {
		const frames = fc.array(fc.array(fc.stringMatching(/^[a-c日 ]{0,6}$/), {minLength: 1, maxLength: 6}), {
			maxLength: 8,
		});
		fc.assert(
			fc.property(frames, sequence => {
				const shown = new VirtualScreen(8, 20);
				let written = '';
				const write = (text: string) => {
					written = text;
					shown.write(text);
				};
				const screen = createScreen({fd: -1, write}, {colors: true, mouse: true});
				for (const frame of sequence) {
					screen.paint(frame);
					expect(shown.text.trimEnd()).toBe(
						frame
							.map(line => line.trimEnd())
							.join('\n')
							.trimEnd(),
					);
					written = '';
					screen.paint(frame);
					expect(written).toBe('');
				}

				expect(shown.foreign).toEqual([]);
			}),
		);
	});

	test('is written completely after the screen was cleared', async () => {
		const terminal = await fakeTerminal();
		const screen = createScreen(terminal, {colors: true, mouse: true});
		for (const reset of [screen.enter, screen.clear, screen.clear]) {
			reset();
			screen.paint(['a', 'b']);
		}

		expect(terminal.frames).toHaveLength(3);
		expect(new Set(terminal.frames).size).toBe(1);
	});
});

describe('the screen', () => {
	test.each([
		{mouse: true, count: 7},
		{mouse: false, count: 5},
	])('resets every mode that it set, also if left twice: %j', async ({mouse, count}) => {
		const terminal = await fakeTerminal();
		const screen = createScreen(terminal, {colors: true, mouse});
		screen.leave();
		screen.enter();
		screen.leave();
		screen.leave();
		const written = await terminal.read();
		const set = [...written.matchAll(/\x1b\[(\??\d+)h/g)].map(([, mode]) => mode);
		const reset = [...written.matchAll(/\x1b\[(\??\d+)l/g)].map(([, mode]) => mode);
		expect(set.sort()).toEqual(reset.sort());
		expect(set).toHaveLength(count);
		expect(set.includes('?1006')).toBe(mouse);
	});

	test('ignores a closed terminal', () => {
		const screen = createScreen({fd: 9999, write: () => {}}, {colors: true, mouse: true});
		screen.enter();
		screen.leave();
	});
});

function fakeDisplay(frame = () => ['frame']) {
	const calls: string[] = [];
	const record = (call: string) => () => void calls.push(call);
	const screen = {
		enter: record('enter'),
		leave: record('leave'),
		clear: record('clear'),
		paint: (lines: readonly string[]) => void calls.push(`paint ${lines}`),
	};
	const keys = {start: record('keys on'), stop: record('keys off')};
	const display = createDisplay(screen, keys, frame, error => calls.push(`crash ${error}`));
	onTestFinished(() => display.hide());
	return {display, calls};
}

describe('the display', () => {
	test('draws at most ten frames a second and always the last state', async () => {
		vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'performance']});
		onTestFinished(() => void vi.useRealTimers());
		let changes = 0;
		const {display, calls} = fakeDisplay(() => [String(changes)]);
		display.show();
		for (; changes < 950; changes++) {
			display.changed();
			vi.advanceTimersByTime(1);
		}

		expect(calls.filter(call => call.startsWith('paint'))).toHaveLength(10);
		vi.advanceTimersByTime(100);
		expect(calls.at(-1)).toBe('paint 950');
	});

	test('releases the terminal for other work and takes it back, also after an error', async () => {
		const {display, calls} = fakeDisplay();
		display.show();
		await vi.waitFor(() => expect(calls).toContain('paint frame'));
		calls.length = 0;
		const fail = () => {
			calls.push('work');
			throw new Error('It failed.');
		};
		expect(() => display.aside(fail)).toThrow('It failed.');
		expect(calls).toEqual(['keys off', 'leave', 'work', 'enter', 'keys on']);
	});

	test('reports an error of the renderer', async () => {
		const {display, calls} = fakeDisplay(() => {
			throw new Error('It broke.');
		});
		display.show();
		await vi.waitFor(() => expect(calls).toContain('crash Error: It broke.'));
	});
});

describe('the terminal guard', () => {
	test('restores the terminal on an uncaught exception and resumes on SIGCONT until it is released', () => {
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

	test('reports keys immediately, an Escape after a pause, and nothing after a stop', async () => {
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

test('the screen copies any text in one terminal sequence', async () => {
	const terminal = await fakeTerminal();
	createScreen(terminal, {colors: true, mouse: true}).copy('日\x1b]');
	expect(await terminal.read()).toBe(`\x1b]52;c;${Buffer.from('日\x1b]').toString('base64')}\x07`);
});

test('an attachment is saved under a safe name in the working directory without replacing a file', async () => {
	const dir = await mkdtemp(path.join(tmpdir(), 'tinbox-'));
	const before = process.cwd();
	process.chdir(dir);
	onTestFinished(async () => {
		process.chdir(before);
		await rm(dir, {recursive: true});
	});
	const saved = [
		await saveFile('../../etc/pass\x1b[31mwd.txt', Buffer.from('1')),
		await saveFile('/passwd.txt', Buffer.from('2')),
		await saveFile('..', Buffer.from('3')),
	];
	expect(saved).toEqual(['passwd.txt', 'passwd-1.txt', 'attachment'].map(name => path.join(process.cwd(), name)));
	expect((await readdir(dir)).sort()).toEqual(['attachment', 'passwd-1.txt', 'passwd.txt']);
	expect(await readFile('passwd.txt', 'utf8')).toBe('1');
});
