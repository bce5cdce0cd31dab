import {writeSync} from 'node:fs';
import type {Abilities} from './abilities.js';

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

export type Screen = ReturnType<typeof createScreen>;

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
