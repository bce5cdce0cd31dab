/** Puts frames on the terminal. */
export type Painter = {
	/** Writes the lines that differ from those of the frame before. */
	paint(frame: string): void;
	/** The terminal no longer shows the last frame: the next one is written whole. */
	forget(): void;
};

/** A terminal that knows this shows the changes of one frame at once; the others ignore it. */
const beginUpdate = '\x1b[?2026h';
const endUpdate = '\x1b[?2026l';

export function createPainter(write: (text: string) => void): Painter {
	let painted: readonly string[] = [];
	return {
		paint(frame) {
			const lines = frame.split('\n');
			const left = Array.from({length: Math.max(0, painted.length - lines.length)}, () => '');
			const changes = [...lines, ...left].flatMap((line, index) =>
				// Erased first: behind a line that fills the terminal, its last character would be erased.
				line === painted[index] ? [] : [`\x1b[${index + 1};1H\x1b[2K${line}`],
			);
			painted = lines;
			if (changes.length > 0) {
				write(beginUpdate + changes.join('') + endUpdate);
			}
		},
		forget() {
			painted = [];
		},
	};
}
