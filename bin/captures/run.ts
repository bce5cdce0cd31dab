import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {chromiumPath} from '../../test/helpers/launch-chromium.js';
import {capturePage} from './page.js';
import {captureTerminal} from './terminal.js';
import {createWorld} from './world.js';

/** Relative to the bundle in `bin/captures/.build`. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const assets = path.join(root, 'docs/assets');

const world = await createWorld(
	path.join(root, 'bin/tinbox.js'),
	fileURLToPath(new URL('../clock.js', import.meta.url)),
);
try {
	await captureTerminal(world, path.join(assets, 'watch.svg'));
	if (chromiumPath === undefined) {
		console.warn('Chromium is not on the PATH: the pictures of the web page were not updated.');
	} else {
		await capturePage(world, assets);
	}
} finally {
	await world.stop();
}
