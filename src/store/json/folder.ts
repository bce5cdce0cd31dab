import type {Files} from './files.js';
import {numberOf} from './layout.js';

/** The numbers of the segments or snapshots in a folder, in order. */
export async function numbersIn(files: Files, folder: string): Promise<number[]> {
	const names = await files.readdir(folder);
	return names
		.map(numberOf)
		.filter(number => number !== undefined)
		.sort((a, b) => a - b);
}
