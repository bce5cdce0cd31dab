import {readdir, readFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {Client} from '../client.js';
import {mutants} from '../mutate.js';
import {add, noFate, sendAndFind, whole} from '../send-mails.js';

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));
const atOnce = 200;

/**
 * The mails of a folder and seeded mutants of them, over SMTP and read again by the API.
 * @param {import('../start.js').Proven} daemon
 * @param {{count: number, seed?: number, folder?: string, progress?: (text: string) => void}} options
 */
export async function sendMutants(daemon, {count, seed = 1, folder = fixtures, progress = () => {}}) {
	const mails = await readMails(folder);
	const client = await Client.of(daemon);
	const fate = noFate();
	const all = [...mails.slice(0, count), ...mutants(mails, seed, count - mails.length)];
	await daemon.report();
	for (let first = 0; first < all.length; first += atOnce) {
		add(fate, await sendAndFind(daemon.smtp, client, all.slice(first, first + atOnce).map(whole)));
		progress(JSON.stringify(fate));
	}

	client.close();
	const {stalls, longestMs, errors} = await daemon.report();
	return {...fate, errors: errors.length, stalls, longestMs: Math.round(longestMs)};
}

/**
 * Every mail below the folder.
 * @param {string} folder
 */
async function readMails(folder) {
	const names = (await readdir(folder, {recursive: true})).filter(name => /\.(eml|raw)$/.test(name)).sort();
	return Promise.all(names.map(name => readFile(path.join(folder, name))));
}
