import {renderToString} from 'ink';
import {browse} from '../lib/browse.js';
import {follow} from './effects/follow.js';
import {keep} from './effects/keep.js';
import {needsOf} from './effects/needs.js';
import {refreshEndpoints} from './effects/refresh.js';
import {press} from './keys/press.js';
import {createKeyReader} from './keys/reader.js';
import {App} from './screens/app.js';
import {type About, initialState, type State} from './state/state.js';
import {createStateStore, type StateStore} from './state/store.js';
import {clipboardSequence} from './terminal/clipboard.js';
import {createDisplay, type Display} from './terminal/display.js';
import {guardTerminal, stopUntilContinued} from './terminal/life.js';
import {page} from './terminal/pager.js';
import {createPainter} from './terminal/painter.js';
import {saveFile} from './terminal/save-file.js';
import {createScreen, type Screen} from './terminal/screen.js';
import type {Outside, Watch} from './watch.js';
import type {WatchApi} from './watch-api.js';

export type Terminal = {readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream & {readonly fd: number}};

/** Runs the screens until the person quits; rejects when they broke. The terminal is as before in either case. */
export async function run(api: WatchApi, about: () => Promise<About>, {stdin, stdout}: Terminal): Promise<void> {
	const store = createStateStore(initialState(await about(), sizeOf(stdout)));
	const screen = createScreen(stdout.fd);
	const stopped = new AbortController();
	let quit = () => {};
	let crash = (_error: unknown) => {};
	const ended = new Promise<void>((resolve, reject) => {
		quit = resolve;
		crash = reject;
	});
	const display = createDisplay({
		screen,
		keys: createKeyReader(stdin, input => press(watch, input)),
		painter: createPainter(text => stdout.write(text)),
		frame: () => frameOf(store.get()),
		onCrash: crash,
	});
	const watch: Watch = {store, api, outside: outsideOf(display, screen, quit)};
	const release = guardTerminal({restore: display.hide, resume: () => display.aside(() => {})});
	const endings = [
		store.subscribe(display.changed),
		onResize(stdout, store, display),
		refreshEndpoints(store),
		...needsOf(api).map(need => keep(store, need)),
	];
	display.show();
	const following = follow(api, store, about, stopped.signal);
	try {
		await ended;
	} finally {
		stopped.abort();
		for (const end of endings) {
			end();
		}

		display.hide();
		release();
		stdin.pause();
		await following;
	}
}

/**
 * Ink lays the screen out, and only that. Its own way of updating a terminal wipes the scrollback with frames of full
 * height, and loses lines when it is told to write only what changed.
 */
export function frameOf(state: State): string {
	return renderToString(<App state={state} />, {columns: state.size.columns});
}

function outsideOf(display: Display, screen: Screen, quit: () => void): Outside {
	return {
		browse,
		quit,
		copy: text => screen.send(clipboardSequence(text)),
		page: text => display.aside(() => page(text)),
		save: saveFile,
		suspend: () => display.aside(stopUntilContinued),
		repaint: display.repaint,
	};
}

function sizeOf({columns, rows}: NodeJS.WriteStream) {
	return {columns: columns || 80, rows: rows || 24};
}

/** A resize leaves the old frame in pieces. */
function onResize(stdout: NodeJS.WriteStream, store: StateStore, display: Display): () => void {
	const resized = () => {
		store.dispatch({type: 'resized', size: sizeOf(stdout)});
		display.repaint();
	};
	stdout.on('resize', resized);
	return () => stdout.off('resize', resized);
}
