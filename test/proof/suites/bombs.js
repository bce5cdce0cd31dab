import {bombs} from '../bombs.js';
import {Client} from '../client.js';
import {add, noFate, sendAndFind, whole} from '../send-mails.js';

/**
 * Mails made to do harm, one after the other.
 * @param {import('../start.js').Proven} daemon
 * @param {{every?: number, progress?: (text: string) => void}} options
 */
export async function sendBombs(daemon, {every = 1, progress = () => {}} = {}) {
	const client = await Client.of(daemon);
	const fate = noFate();
	const harm = {errors: 0, stalls: 0, longestMs: 0};
	await daemon.report();
	for (const [name, make] of Object.entries(bombs).filter((_, index) => index % every === 0)) {
		const startedAt = performance.now();
		add(fate, await sendAndFind(daemon.smtp, client, [whole(Buffer.from(make(), 'latin1'))]));
		const {stalls, longestMs, errors} = await daemon.report();
		harm.errors += errors.length;
		harm.stalls += stalls;
		harm.longestMs = Math.max(harm.longestMs, Math.round(longestMs));
		const ms = (performance.now() - startedAt).toFixed(0);
		progress(`${name}: ${ms} ms, loop held for ${longestMs.toFixed(0)} ms at most`);
	}

	client.close();
	return {...fate, ...harm};
}
