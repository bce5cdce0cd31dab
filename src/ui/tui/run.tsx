import {EventEmitter, once} from 'node:events';
import {renderToString} from 'ink';
import {browse} from '../../lib/io/browse.js';
import {press} from './keys/press.js';
import {follow, keepLoaded} from './loader.js';
import {App} from './panes/app.js';
import {type About, initialState, type WatchState} from './state/state.js';
import {createStateStore} from './state/update.js';
import {createKeyReader} from './terminal/keyboard.js';
import {abilitiesOf, createDisplay, createScreen, guardTerminal} from './terminal/screen.js';
import {copyByMeans, page, saveFile} from './terminal/system.js';
import type {Watch, WatchApi} from './watch.js';

type Terminal = Pick<NodeJS.Process, 'stdin' | 'stdout'>;

/**
 * Runs the screens until the person quits; rejects when they fail. The terminal is as before in either case. Both
 * streams must be terminals; `env` says which. `about` is called again whenever the daemon is back after a loss.
 */
export async function runScreens(
	api: WatchApi,
	about: () => Promise<About>,
	{stdin, stdout}: Terminal,
	env: NodeJS.ProcessEnv,
): Promise<void> {
	const abilities = abilitiesOf(env, stdout);
	const store = createStateStore(initialState(await about(), sizeOf(stdout)));
	const screen = createScreen(stdout, abilities);
	const stopped = new AbortController();
	const end = new EventEmitter();
	const ended = once(end, 'quit');
	const keys = createKeyReader(stdin, input => press(watch, input));
	const frame = () => (abilities.colors ? frameOf(store.get()) : withoutColors(frameOf(store.get())));
	const display = createDisplay(screen, keys, frame, error => end.emit('error', error));
	const watch: Watch = {
		store,
		api,
		outside: {
			browse,
			quit: () => end.emit('quit'),
			copy: async text => copyByMeans(text, env, screen.copy),
			page: text => display.aside(() => page(text)),
			save: saveFile,
			// Stops the whole process group, as the terminal's own Ctrl-Z does, until the shell continues it.
			suspend: () => display.aside(() => process.kill(0, 'SIGTSTP')),
			repaint: display.repaint,
		},
	};
	// A resize leaves the old frame in pieces.
	const onResize = () => {
		store.update({size: sizeOf(stdout)});
		display.repaint();
	};
	stdout.on('resize', onResize);
	const release = guardTerminal({restore: display.hide, resume: () => display.aside(() => {})});
	store.subscribe(display.changed, stopped.signal);
	keepLoaded(store, api, stopped.signal);
	display.show();
	const following = follow(api, store, about, stopped.signal);
	try {
		await ended;
	} finally {
		stopped.abort();
		stdout.off('resize', onResize);
		display.hide();
		release();
		stdin.pause();
		await following;
	}
}

/**
 * Ink lays the screen out, and only that. Its own rendering (6.8.0) erases the frame before it writes the next one,
 * which shows half-drawn frames; it clears the scrollback when the window gets lower; told to write only what changed,
 * it puts lines one row too low. Its `useInput` takes keys of one read for one key.
 */
export function frameOf(state: WatchState): string {
	return renderToString(<App state={state} />, {columns: state.size.columns});
}

/** Reverse, bold, underlined and dim stay. */
function withoutColors(frame: string): string {
	return frame.replace(/\x1b\[[39]\dm/g, '');
}

function sizeOf({columns, rows}: NodeJS.WriteStream) {
	return {columns: columns || 80, rows: rows || 24};
}
