import {readdir, rm, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {Pty} from '../../test/helpers/pty.js';
import {chance} from './chance.js';
import {drawScreen} from './svg.js';
import type {World} from './world.js';

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

/** Draws the screens of `tinbox watch` into `watch-*.svg` in the folder, in place of those that are there. */
export async function captureTerminal(world: World, folder: string): Promise<void> {
	for (const file of await readdir(folder)) {
		if (/^watch-.*\.svg$/.test(file)) {
			await rm(path.join(folder, file));
		}
	}

	for (const size of sizes) {
		await capture(world, folder, size);
	}
}

async function capture(world: World, folder: string, {columns, rows}: (typeof sizes)[number]): Promise<void> {
	const pty = await Pty.open({columns, rows, cwd: world.home, env: world.env});
	try {
		pty.type(`"${process.execPath}" "${world.bin}" watch\r`);
		await pty.shows('tinbox ● live');
		for (const {keys, shows, draw} of [...mail, ...webhooks, ...faults, ...help]) {
			pty.type(keys);
			await pty.until(text => text.search(shows) >= 0);
			if (draw !== undefined) {
				await sleep(restMs);
				const file = `watch-${columns}x${rows}-${draw}.svg`;
				await writeFile(path.join(folder, file), withoutChance(drawScreen(pty.screen.cells, columns, 'tinbox watch')));
				console.log(file);
			}
		}
	} finally {
		await pty.close();
	}
}

/** The ports are made the same, too. */
function withoutChance(svg: string): string {
	const ports = svg.replace(/(?<=smtp 127\.0\.0\.1:)\d{5}/g, '40369').replace(/(?<=http 127\.0\.0\.1:)\d{5}/g, '43991');
	return chance.reduce((text, [pattern, same]) => text.replace(pattern, same), ports);
}
