/**
 * @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon
 *
 * @typedef {object} Races
 * @property {number} races
 * @property {number} doubled races in which both daemons started
 * @property {number} refused races in which no daemon started
 * @property {number} unexplained races in which the loser did not name the process that uses the folder
 */

/**
 * Starts two daemons on one folder concurrently and kills the winner, so that the next two find its lock.
 * @param {(name: string) => Promise<CrashedDaemon>} start starts a daemon on the folder, with a home of this name
 * @param {number} races
 * @param {(text: string) => void} [progress]
 * @returns {Promise<Races>}
 */
export async function twoDaemons(start, races, progress = () => {}) {
	const counts = {races, doubled: 0, refused: 0, unexplained: 0};
	for (let race = 1; race <= races; race++) {
		const results = await Promise.allSettled([start('one'), start('other')]);
		const started = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
		const [winner, second] = started;
		const reason = results.flatMap(result => (result.status === 'rejected' ? [String(result.reason)] : [])).join();
		counts.doubled += second ? 1 : 0;
		counts.refused += winner ? 0 : 1;
		counts.unexplained += second || reason.includes(`in use by process ${winner?.pid}.`) ? 0 : 1;
		await Promise.all(started.map(daemon => daemon.kill()));
		progress(`${race}: ${JSON.stringify(counts)}`);
	}

	return counts;
}
