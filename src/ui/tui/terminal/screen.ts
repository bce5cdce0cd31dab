import {spawn, spawnSync} from 'node:child_process';
import {writeSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {errorCode} from '../../../lib/errors.js';
import {safeFileName} from '../../../lib/text/sanitize.js';
import type {KeyReader} from './keyboard.js';

/** Capabilities of a terminal beyond reverse and bold text. */
type Abilities = {readonly colors: boolean; readonly mouse: boolean};

/** Values of `TERM` for terminals without colours, whatever emulates them. */
const monochrome = /^vt\d|-m(?:ono)?$/;

/** Values of `TERM` for terminals without mouse reports. */
const mouseless = /^(?:vt\d|linux$|ansi|cons\d|sun)/;

/** Capabilities according to `TERM` and the user's wishes (`NO_COLOR`, `FORCE_COLOR`). */
export function abilitiesOf(env: NodeJS.ProcessEnv, stdout: NodeJS.WriteStream): Abilities {
	// An empty NO_COLOR means nothing, but Node.js would obey it.
	const {NO_COLOR: noColor, ...wishes} = env;
	const {TERM: name = ''} = wishes;
	return {
		colors: !noColor && !monochrome.test(name) && stdout.getColorDepth(wishes) > 1,
		mouse: !mouseless.test(name),
	};
}

/** Terminal modes: the sequences that set and reset each. */
const commonModes: ReadonlyArray<readonly [enter: string, leave: string]> = [
	// Alternate screen, which keeps the shell's screen and scrollback.
	['\x1b[?1049h', '\x1b[?1049l'],
	// Cursor.
	['\x1b[?25l', '\x1b[?25h'],
	// No line wrap: a line that the terminal measures wider than expected is cut, instead of moving the others down.
	['\x1b[?7l', '\x1b[?7h'],
	// Bracketed paste, so that pasted letters do not act as keys.
	['\x1b[?2004h', '\x1b[?2004l'],
	// Explicit bidirectional mode (ECMA-48), so that right-to-left text does not reorder its line.
	['\x1b[8l', '\x1b[8h'],
];

/** Reports of clicks and the wheel (1000), with coordinates of any size (1006). */
const mouseModes = ['\x1b[?1000h\x1b[?1006h', '\x1b[?1006l\x1b[?1000l'] as const;

const resetStyle = '\x1b[0m';
const clearScreen = '\x1b[2J\x1b[H';

/** Synchronized update: terminals that support it show the changes of a frame at once. */
const beginUpdate = '\x1b[?2026h';
const endUpdate = '\x1b[?2026l';

type Screen = ReturnType<typeof createScreen>;

/** Alternate screen of a terminal. Everything but frames is written synchronously, so that it works while the process exits. */
export function createScreen(stdout: {readonly fd: number; write(text: string): unknown}, {colors, mouse}: Abilities) {
	const modes = mouse ? [...commonModes, mouseModes] : commonModes;
	let entered = false;
	let painted: readonly string[] = [];
	const send = (text: string) => {
		try {
			writeSync(stdout.fd, text);
		} catch {
			// The terminal was closed: there is nothing to restore.
		}
	};
	return {
		enter() {
			entered = true;
			painted = [];
			send(modes.map(([enter]) => enter).join('') + clearScreen);
		},
		/** Restores the terminal. Can be called repeatedly. */
		leave() {
			if (entered) {
				entered = false;
				send(resetStyle + modes.reduceRight((all, [, leave]) => all + leave, ''));
			}
		},
		clear() {
			painted = [];
			send(resetStyle + clearScreen);
		},
		/** Shows the lines of a frame. Only lines that differ from the previous frame are written. */
		paint(frame: readonly string[]) {
			const lines = colors ? frame : frame.map(withoutColors);
			const blank = Array.from({length: Math.max(0, painted.length - lines.length)}, () => '');
			const changes = [...lines, ...blank].flatMap((line, index) =>
				// The line is erased first: erasing after a line that fills the terminal would remove its last character.
				line === painted[index] ? [] : [`\x1b[${index + 1};1H\x1b[2K${line}`],
			);
			painted = lines;
			if (changes.length > 0) {
				stdout.write(beginUpdate + changes.join('') + endUpdate);
			}
		},
		/** Sets the clipboard of the terminal (OSC 52). Terminals without support ignore it. */
		copy: (text: string) => send(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`),
	};
}

/** Removes colours; reverse, bold, underline and dim remain. */
function withoutColors(line: string): string {
	return line.replace(/\x1b\[3\dm/g, '');
}

/** Minimum time between frames. More frames would only take processor time from other programs. */
const frameMs = 100;

/** Terminal while it shows the screens. `frame` renders the current state; `onCrash` receives an error that it throws. */
export function createDisplay(
	screen: Pick<Screen, 'enter' | 'leave' | 'clear' | 'paint'>,
	keys: KeyReader,
	frame: () => readonly string[],
	onCrash: (error: unknown) => void,
) {
	let timer: NodeJS.Timeout | undefined;
	let drawnAt = -frameMs;
	const draw = () => {
		timer = undefined;
		drawnAt = performance.now();
		try {
			screen.paint(frame());
		} catch (error) {
			onCrash(error);
		}
	};
	const changed = () => {
		timer ??= setTimeout(draw, Math.max(0, drawnAt + frameMs - performance.now()));
	};
	const show = () => {
		screen.enter();
		keys.start();
		changed();
	};
	const hide = () => {
		clearTimeout(timer);
		timer = undefined;
		keys.stop();
		screen.leave();
	};
	return {
		show,
		/** Restores the terminal. Can be called repeatedly. */
		hide,
		/** Draws a frame soon. */
		changed,
		/** Draws the whole screen again. */
		repaint() {
			screen.clear();
			changed();
		},
		/** Restores the terminal for some other work, then shows the screens again. */
		aside(work: () => void) {
			hide();
			try {
				work();
			} finally {
				show();
			}
		},
	};
}

/** Signals that end the process immediately by default. */
const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

type GuardHooks = {readonly restore: () => void; readonly resume: () => void};

/**
 * Calls `restore`, which must be synchronous, however the process ends, and `resume` when the shell resumes it. A signal still ends
 * the process as that signal, an exception as that exception. Returns a function that removes the guard.
 */
export function guardTerminal({restore, resume}: GuardHooks): () => void {
	const listeners = new Map<string, () => void>([
		['exit', restore],
		['uncaughtExceptionMonitor', restore],
		['SIGCONT', resume],
		...signals.map(signal => [signal, () => end(signal)] as const),
	]);
	const release = () => {
		for (const [event, listener] of listeners) {
			process.off(event, listener);
		}
	};
	const end = (signal: NodeJS.Signals) => {
		restore();
		release();
		process.kill(process.pid, signal);
	};
	for (const [event, listener] of listeners) {
		process.on(event, listener);
	}

	return release;
}

/** Program that copies its standard input to the clipboard. */
type CopyProgram = {readonly command: string; readonly args: readonly string[]; readonly encoding?: 'utf16le'};

/** Timeout of a copy program. */
const timeoutMs = 5000;

/**
 * Copies a text to the clipboard by the first means that works: a program of the desktop, tmux, or the terminal itself. Resolves
 * with its name.
 */
export async function copyByMeans(
	text: string,
	env: NodeJS.ProcessEnv,
	byTerminal: (text: string) => void,
): Promise<string> {
	for (const program of programsOf(env)) {
		if (await feed(program, text)) {
			return program.command;
		}
	}

	byTerminal(text);
	return 'terminal clipboard, OSC 52';
}

function programsOf(env: NodeJS.ProcessEnv): readonly CopyProgram[] {
	const {WAYLAND_DISPLAY: wayland, DISPLAY: x11, TMUX: tmux, WSL_DISTRO_NAME: wsl} = env;
	const programs: ReadonlyArray<readonly [isUsable: unknown, program: CopyProgram]> = [
		[wayland, {command: 'wl-copy', args: []}],
		[x11, {command: 'xclip', args: ['-selection', 'clipboard']}],
		[x11, {command: 'xsel', args: ['--clipboard', '--input']}],
		[process.platform === 'darwin', {command: 'pbcopy', args: []}],
		[tmux, {command: 'tmux', args: ['load-buffer', '-w', '-']}],
		[wsl || process.platform === 'win32', {command: 'clip.exe', args: [], encoding: 'utf16le'}],
	];
	return programs.flatMap(([isUsable, program]) => (isUsable ? [program] : []));
}

/** Returns true if the program accepted the text. */
async function feed({command, args, encoding}: CopyProgram, text: string): Promise<boolean> {
	const child = spawn(command, args, {stdio: ['pipe', 'ignore', 'ignore'], timeout: timeoutMs});
	// A program that ends without reading reports it by its status.
	child.stdin.on('error', () => {});
	child.stdin.end(encoding === undefined ? text : Buffer.from(`\ufeff${text}`, encoding));
	return new Promise(resolve => {
		child.once('error', () => resolve(false));
		child.once('exit', code => resolve(code === 0));
	});
}

/** Shows a text in `$PAGER`, by default `less`. Control characters must be removed before, because some pagers print them. */
export function page(text: string): void {
	const pager = process.env['PAGER'] || 'less';
	const {error, status} = spawnSync(pager, {input: text, stdio: ['pipe', 'inherit', 'inherit'], shell: true});
	// Quitting the pager early also causes an error, but with a status.
	if (status === 127 || (error && status === null)) {
		throw new Error(`Could not start the pager "${pager}". Set PAGER to another program.`, {cause: error});
	}
}

const maxCopies = 100;

/**
 * Writes a new file into the working directory and resolves with its path. A path in the name is removed, and existing files are
 * not overwritten: the name gets a number.
 */
export async function saveFile(filename: string, bytes: Buffer): Promise<string> {
	const {name, ext} = path.parse(safeFileName(filename, 'attachment'));
	for (let copy = 0; copy < maxCopies; copy++) {
		const file = copy === 0 ? name + ext : `${name}-${copy}${ext}`;
		try {
			await writeFile(file, bytes, {flag: 'wx'});
			return path.resolve(file);
		} catch (error) {
			if (errorCode(error) !== 'EEXIST') {
				throw error;
			}
		}
	}

	throw new Error(`The folder already has ${maxCopies} files named ${name}${ext}. Delete or move some.`);
}
