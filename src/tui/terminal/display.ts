import type {KeyReader} from '../keys/reader.js';
import type {Painter} from './painter.js';
import type {Screen} from './screen.js';

/** The terminal while it shows the screens. */
export type Display = {
	show(): void;
	/** Gives the terminal back as it was before; harmless when repeated. */
	hide(): void;
	/** What is to be shown has changed. */
	changed(): void;
	/** The terminal no longer shows what was drawn. */
	repaint(): void;
	/** Hides, does something else with the terminal, and shows again. */
	aside(work: () => void): void;
};

export type DisplayParts = {
	readonly screen: Screen;
	readonly keys: KeyReader;
	readonly painter: Painter;
	/** What is to be shown now. */
	readonly frame: () => string;
	/** Told of an error while a frame was made. */
	readonly onCrash: (error: unknown) => void;
};

/** At most ten frames a second: nobody reads faster, and an editor beside it gets the processor. */
const frameMs = 100;

export function createDisplay({screen, keys, painter, frame, onCrash}: DisplayParts): Display {
	let timer: NodeJS.Timeout | undefined;
	let drawnAt = -frameMs;
	const draw = () => {
		timer = undefined;
		drawnAt = performance.now();
		try {
			painter.paint(frame());
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
		painter.forget();
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
		hide,
		changed,
		repaint() {
			screen.clear();
			painter.forget();
			changed();
		},
		aside(work) {
			hide();
			try {
				work();
			} finally {
				show();
			}
		},
	};
}
