import {writeSync} from 'node:fs';

/** Modes of the terminal: what is set on entering, and how it was before. */
const modes: ReadonlyArray<readonly [enter: string, leave: string]> = [
	// The alternate screen: what was on the screen, and the scrollback, stay as they were.
	['\x1b[?1049h', '\x1b[?1049l'],
	['\x1b[?25l', '\x1b[?25h'],
	// A line that the terminal finds wider than it was counted is cut, and does not push the others down.
	['\x1b[?7l', '\x1b[?7h'],
	// Pastes come between marks, so that their letters are no keys.
	['\x1b[?2004h', '\x1b[?2004l'],
	// Right-to-left text does not reorder the line it stands in (ECMA-48, bidirectional support mode).
	['\x1b[8l', '\x1b[8h'],
];

const plain = '\x1b[0m';
const home = '\x1b[2J\x1b[H';

/** The terminal's own screen, put aside while the program draws on the alternate one. */
export type Screen = {
	enter(): void;
	/** Puts everything back; harmless when repeated. */
	leave(): void;
	clear(): void;
	/** Writes beside the frames; for sequences that draw nothing. */
	send(sequence: string): void;
};

/** Writes synchronously, so that it works on the way out of the process. */
export function createScreen(fd: number): Screen {
	let entered = false;
	const send = (text: string) => {
		try {
			writeSync(fd, text);
		} catch {
			// The terminal is gone, and with it everything that could be put back.
		}
	};
	return {
		send,
		enter() {
			entered = true;
			send(modes.map(([enter]) => enter).join('') + home);
		},
		leave() {
			if (entered) {
				entered = false;
				send(
					plain +
						[...modes]
							.reverse()
							.map(([, leave]) => leave)
							.join(''),
				);
			}
		},
		clear: () => send(plain + home),
	};
}
