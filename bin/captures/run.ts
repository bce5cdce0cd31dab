import {mkdir, readdir, rm, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {Pty} from '../../test/helpers/pty.js';
import {drawScreen} from './svg.js';
import {createWorld} from './world.js';

/** Bundled into `bin/captures/.build`. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const bin = path.join(root, 'bin/tinbox.js');
const docs = path.join(root, 'docs');

/** In which what else is read for a screen has come, too. */
const restMs = 800;

type Step = {
	readonly keys: string;
	/** What the screen shows then. */
	readonly shows: string | RegExp;
	/** Draws it under this name. */
	readonly draw?: string;
};

const mail: readonly Step[] = [
	{keys: '', shows: 'sign-up', draw: 'inboxes'},
	{keys: 'l', shows: '▌Messages', draw: 'messages'},
	{keys: '/invoice\r', shows: '"invoice" in ', draw: 'filter'},
	{keys: 'l4', shows: '請求書.pdf', draw: 'attachments'},
	{keys: '1h\x1b', shows: '【市場】'},
	{keys: 'gl', shows: 'Zoë 👋', draw: 'text'},
	{keys: '2', shows: /Zoë *$/m, draw: 'html'},
	{keys: '3', shows: 'From: ', draw: 'headers'},
	{keys: '5', shows: 'code  ', draw: 'codes'},
	{keys: '6', shows: /From: .*hello/, draw: 'source'},
	{keys: '1hh', shows: '▌Inboxes'},
];

const webhooks: readonly Step[] = [
	{keys: 'w', shows: '▌Endpoints', draw: 'webhooks'},
	{keys: 'lj', shows: /failed +503/, draw: 'deliveries'},
	{keys: 'l', shows: 'The CRM is down', draw: 'delivery'},
	{keys: 'hhw', shows: '▌Inboxes'},
];

const faults: readonly Step[] = [
	{keys: 'F', shows: 'mailbox-full', draw: 'faults'},
	{keys: 'jll', shows: /▌Hit *$/m, draw: 'hit'},
	{keys: 'hhF', shows: '▌Inboxes'},
];

const help: readonly Step[] = [
	{keys: '?', shows: '▌Keys', draw: 'help'},
	{keys: 'q', shows: '▌Inboxes'},
];

const sizes = [
	{columns: 200, rows: 50},
	{columns: 100, rows: 30},
	{columns: 60, rows: 15},
];

await mkdir(docs, {recursive: true});
for (const file of await readdir(docs)) {
	if (/^watch-.*\.svg$/.test(file)) {
		await rm(path.join(docs, file));
	}
}

const world = await createWorld(bin, fileURLToPath(new URL('../clock.js', import.meta.url)));
try {
	for (const size of sizes) {
		await capture(size);
	}
} finally {
	await world.stop();
}

async function capture({columns, rows}: (typeof sizes)[number]): Promise<void> {
	const pty = await Pty.open({columns, rows, cwd: world.home, env: world.env});
	try {
		pty.type(`"${process.execPath}" "${bin}" watch\r`);
		await pty.shows('tinbox ● live');
		for (const {keys, shows, draw} of [...mail, ...webhooks, ...faults, ...help]) {
			pty.type(keys);
			await pty.until(text => text.search(shows) >= 0);
			if (draw !== undefined) {
				await sleep(restMs);
				const file = `watch-${columns}x${rows}-${draw}.svg`;
				await writeFile(path.join(docs, file), withoutChance(drawScreen(pty.screen.cells, columns, 'tinbox watch')));
				console.log(file);
			}
		}
	} finally {
		await pty.close();
	}
}

/** What differs from run to run is made the same, so that a drawing changes only when the screen does. */
function withoutChance(svg: string): string {
	return svg
		.replace(/(?<=smtp 127\.0\.0\.1:)\d{5}/g, '40369')
		.replace(/(?<=http 127\.0\.0\.1:)\d{5}/g, '43991')
		.replace(/tbx_live_[\w-]{7}/g, 'tbx_live_k3Qx9Zt')
		.replace(/(?<=[\da-f]{8}-[\da-f]{4}-7)[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, '4eb-af79-e16fe40549fe')
		.replace(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, '7d213c54-8425-436f-b74a-192efbc541cb');
}
