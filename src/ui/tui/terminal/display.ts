import type {KeyReader} from './keyboard.js';
import type {Screen} from './screen.js';

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
