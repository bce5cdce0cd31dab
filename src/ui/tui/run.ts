import {EventEmitter, once} from 'node:events';
import {openBrowser} from '../../lib/io/browse.js';
import {press} from './keys/press.js';
import {follow, loadScreens} from './loader.js';
import {frameOf} from './panes/app.js';
import {type About, initialState} from './state/state.js';
import {createStateStore} from './state/update.js';
import {createKeyReader} from './terminal/keyboard.js';
import {
	abilitiesOf,
	copyByMeans,
	createDisplay,
	createScreen,
	guardTerminal,
	page,
	saveFile,
} from './terminal/screen.js';
import type {Watch, WatchApi} from './watch.js';

type Terminal = Pick<NodeJS.Process, 'stdin' | 'stdout'>;

/**
 * Runs the terminal UI until the user quits; rejects if it fails. The terminal is restored in either case. Both streams must be
 * terminals. `about` is called again after each reconnection, because the daemon may have other ports then.
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
	const display = createDisplay(
		screen,
		keys,
		() => frameOf(store.get()),
		error => end.emit('error', error),
	);
	const watch: Watch = {
		store,
		api,
		outside: {
			browse: openBrowser,
			quit: () => end.emit('quit'),
			copy: async text => copyByMeans(text, env, screen.copy),
			page: text => display.aside(() => page(text)),
			save: saveFile,
			// Stops the whole process group, as Ctrl-Z in a terminal does.
			suspend: () => display.aside(() => process.kill(0, 'SIGTSTP')),
			repaint: display.repaint,
		},
	};
	const onResize = () => {
		store.update({size: sizeOf(stdout)});
		// Terminals rearrange the old frame.
		display.repaint();
	};
	stdout.on('resize', onResize);
	const release = guardTerminal({restore: display.hide, resume: () => display.aside(() => {})});
	store.subscribe(display.changed, stopped.signal);
	loadScreens(store, api, stopped.signal);
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

function sizeOf({columns, rows}: NodeJS.WriteStream) {
	return {columns: columns || 80, rows: rows || 24};
}
