import {readdir, readFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {bombs} from '../../../helpers/bombs.js';
import {Client} from '../client.js';
import {mutants} from '../mutate.js';
import {add, noFate, sendAndFind, whole} from '../send-mails.js';

const fixtures = fileURLToPath(new URL('../../../fixtures', import.meta.url));
const atOnce = 200;

/**
 * Sends the mails of a folder, seeded mutations of them and malicious mails by SMTP, and reads them through the API. Mails are
 * sent without TLS, by STARTTLS and by implicit TLS in turn.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {{count: number, seed?: number, folder?: string, everyBomb?: number, progress?: (text: string) => void}} options
 */
export async function sendMutants(daemon, {count, seed = 1, folder = fixtures, everyBomb = 0, progress = () => {}}) {
	const mails = await readMails(folder);
	const client = await Client.of(daemon);
	const fate = noFate();
	const all = [...mails.slice(0, count), ...mutants(mails, seed, count - mails.length)];
	const ways = [daemon.smtp, {...daemon.smtp, secure: /** @type {const} */ ('starttls')}, daemon.smtps];
	await daemon.report();
	for (let first = 0; first < all.length; first += atOnce) {
		add(fate, await sendAndFind(ways, client, all.slice(first, first + atOnce).map(whole)));
		progress(JSON.stringify(fate));
	}

	for (const [name, make] of Object.entries(bombs).filter((_, index) => index % everyBomb === 0)) {
		add(fate, await sendAndFind(ways, client, [whole(Buffer.from(make(), 'latin1'))]));
		progress(`${name}: ${JSON.stringify(fate)}`);
	}

	client.close();
	const {stalls, longestMs, errors} = await daemon.report();
	return {...fate, errors: errors.length, stalls, longestMs: Math.round(longestMs)};
}

/**
 * Reads all mails below a folder.
 * @param {string} folder
 */
async function readMails(folder) {
	const names = (await readdir(folder, {recursive: true})).filter(name => /\.(eml|raw)$/.test(name)).sort();
	return Promise.all(names.map(name => readFile(path.join(folder, name))));
}
