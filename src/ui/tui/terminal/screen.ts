import {writeSync} from 'node:fs';
import type {KeyReader} from './keyboard.js';

/** Modes of any terminal: the sequence that sets each, and the one that resets it. */
const commonModes: ReadonlyArray<readonly [enter: string, leave: string]> = [
	// The alternate screen: the terminal's own screen and its scrollback stay as they were.
	['\x1b[?1049h', '\x1b[?1049l'],
	['\x1b[?25l', '\x1b[?25h'],
	// A line that the terminal finds wider than it was counted is cut, and does not push the others down.
	['\x1b[?7l', '\x1b[?7h'],
	// Pastes come between marks, so that their letters do not act as keys.
	['\x1b[?2004h', '\x1b[?2004l'],
	// Right-to-left text does not reorder its line (ECMA-48, bidirectional support mode).
	['\x1b[8l', '\x1b[8h'],
];

/** Presses and the wheel are reported (1000), in numbers of any size (1006). */
const mouseModes = ['\x1b[?1000h\x1b[?1006h', '\x1b[?1006l\x1b[?1000l'] as const;

const plain = '\x1b[0m';
const home = '\x1b[2J\x1b[H';

/** A terminal that knows these sequences shows the changes of a frame at once; the others ignore them. */
const beginUpdate = '\x1b[?2026h';
const endUpdate = '\x1b[?2026l';

type Screen = ReturnType<typeof createScreen>;

/**
 * The alternate screen of the terminal. All but frames is written synchronously, so that it works on the way out of
 * the process.
 */
export function createScreen(
	stdout: {readonly fd: number; write(text: string): unknown},
	{mouse}: Pick<Abilities, 'mouse'>,
) {
	const modes = mouse ? [...commonModes, mouseModes] : commonModes;
	let entered = false;
	let painted: readonly string[] = [];
	const send = (text: string) => {
		try {
			writeSync(stdout.fd, text);
		} catch {
			// The terminal is gone, and with it everything that could be put back.
		}
	};
	return {
		enter() {
			entered = true;
			painted = [];
			send(modes.map(([enter]) => enter).join('') + home);
		},
		/** Puts everything back; harmless when repeated. */
		leave() {
			if (entered) {
				entered = false;
				send(plain + modes.reduceRight((all, [, leave]) => all + leave, ''));
			}
		},
		clear() {
			painted = [];
			send(plain + home);
		},
		/** Shows a frame: writes the lines that differ from those on the screen. */
		paint(frame: string) {
			const lines = frame.split('\n');
			const left = Array.from({length: Math.max(0, painted.length - lines.length)}, () => '');
			const changes = [...lines, ...left].flatMap((line, index) =>
				// Erased first: after a line that fills the terminal, its last character would be erased.
				line === painted[index] ? [] : [`\x1b[${index + 1};1H\x1b[2K${line}`],
			);
			painted = lines;
			if (changes.length > 0) {
				stdout.write(beginUpdate + changes.join('') + endUpdate);
			}
		},
		/** Puts a text into the terminal's clipboard (OSC 52); terminals without it ignore that. */
		copy: (text: string) => send(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`),
	};
}

/** What a terminal can do beyond showing text in reverse and bold. */
type Abilities = {readonly colors: boolean; readonly mouse: boolean};

/** Names in `TERM` of terminals without colours, whatever emulates them. */
const monochrome = /^vt\d|-m(?:ono)?$/;

/** Names of those that cannot tell of a mouse. */
const mouseless = /^(?:vt\d|linux$|ansi|cons\d|sun)/;

/** What the terminal says that it can do, and what the person wants of it (`NO_COLOR`, `FORCE_COLOR`). */
export function abilitiesOf(env: NodeJS.ProcessEnv, stdout: NodeJS.WriteStream): Abilities {
	// Node.js takes an empty NO_COLOR for a wish, too.
	const {NO_COLOR: noColor, ...wishes} = env;
	const {TERM: name = ''} = wishes;
	return {
		colors: !noColor && !monochrome.test(name) && stdout.getColorDepth(wishes) > 1,
		mouse: !mouseless.test(name),
	};
}

/** At most ten frames a second: nobody reads faster, and an editor beside it gets the processor. */
const frameMs = 100;

/** The terminal while it shows the screens. `frame` makes what is to be shown now; `onCrash` gets what it throws. */
export function createDisplay(
	screen: Pick<Screen, 'enter' | 'leave' | 'clear' | 'paint'>,
	keys: KeyReader,
	frame: () => string,
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
		/** Gives the terminal back as it was before; harmless when repeated. */
		hide,
		/** Draws a frame soon. */
		changed,
		/** Draws everything again, when the terminal no longer shows what was drawn. */
		repaint() {
			screen.clear();
			changed();
		},
		/** Hides, does something else with the terminal, and shows again. */
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

/** Signals that end the process by default, without waiting for anything. */
const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

type GuardHooks = {readonly restore: () => void; readonly resume: () => void};

/**
 * Calls `restore`, which must be synchronous, however the process ends, and `resume` when the shell continued it. A
 * signal still ends the process as the signal, an exception as the exception. The result removes the guard.
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
