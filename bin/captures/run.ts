import {mkdir} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {chromiumPath} from '../../test/helpers/launch-chromium.js';
import {capturePage} from './page.js';
import {captureTerminal} from './terminal.js';
import {createWorld} from './world.js';

/** Bundled into `bin/captures/.build`. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const docs = path.join(root, 'docs');

const world = await createWorld(
	path.join(root, 'bin/tinbox.js'),
	fileURLToPath(new URL('../clock.js', import.meta.url)),
);
try {
	await mkdir(docs, {recursive: true});
	await captureTerminal(world, docs);
	if (chromiumPath === undefined) {
		console.warn('There is no Chromium on the PATH: docs/web stays as it is.');
	} else {
		await capturePage(world, path.join(docs, 'web'));
	}
} finally {
	await world.stop();
}
