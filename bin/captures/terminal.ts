import {writeFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {Pty} from '../../test/helpers/pty.js';
import {chance} from './chance.js';
import {drawScreen} from './svg.js';
import type {World} from './world.js';

const size = {columns: 100, rows: 30};

/** Time for the last data of a screen to be loaded and drawn. */
const restMs = 800;

/** Keys that open the newest message of the first inbox, each with a text that the screen shows afterwards. */
const steps = [
	{keys: '', shows: 'sign-up'},
	{keys: 'l', shows: '▌Messages'},
	{keys: 'l', shows: 'Zoë 👋'},
] as const;

/** Draws `tinbox watch` with an open message into an SVG file. */
export async function captureTerminal({home, env, bin}: World, file: string): Promise<void> {
	const pty = await Pty.open({...size, cwd: home, env});
	try {
		pty.type(`"${process.execPath}" "${bin}" watch\r`);
		await pty.shows('tinbox ● live');
		for (const {keys, shows} of steps) {
			pty.type(keys);
			await pty.shows(shows);
		}

		await sleep(restMs);
		await writeFile(file, withoutChance(drawScreen(pty.screen.cells, size.columns, 'tinbox watch')));
		console.log(file);
	} finally {
		await pty.close();
	}
}

/** Replaces values that differ on each run: ids, keys and ports. */
function withoutChance(svg: string): string {
	const ports = svg.replace(/(?<=smtp 127\.0\.0\.1:)\d{5}/g, '40369').replace(/(?<=http 127\.0\.0\.1:)\d{5}/g, '43991');
	return chance.reduce((text, [pattern, same]) => text.replace(pattern, same), ports);
}
