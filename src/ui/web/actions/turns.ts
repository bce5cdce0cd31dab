/**
 * Has one of all tabs that ask for the same name lead at a time, until the signal aborts: one in view where there is one, for a
 * browser leaves little time to others. When it is closed, another one leads. Where tabs cannot agree, each one in view leads.
 * What it gives has this tab lead at once, for one that leads but does not move.
 */
export function takeTurns(name: string, signal: AbortSignal, lead: (turn: AbortSignal) => Promise<void>): () => void {
	const {locks} = navigator;
	let turn: AbortSignal | undefined;
	/** Resolves when the turn is over, or will never come: to whether there may be another one. */
	const leadOnce = async (options: LockOptions): Promise<boolean> => {
		const stolen = new AbortController();
		let own: AbortSignal | undefined;
		const run = async () => {
			own = AbortSignal.any([signal, stolen.signal]);
			turn = own;
			await lead(own);
		};
		await locks.request(name, options, run).catch(() => {});
		stolen.abort();
		return own !== undefined && !signal.aborted;
	};
	const queue = async () => {
		while (await leadOnce({signal})) {}
	};
	const takeOver = () => {
		if (locks && !signal.aborted && turn?.aborted !== false) {
			void leadOnce({steal: true});
		}
	};
	const leadInView = async (inView: AbortSignal) => {
		takeOver();
		if (!inView.aborted) {
			await new Promise(resolve => inView.addEventListener('abort', resolve));
		}
	};
	let leaving = new AbortController();
	const look = () => {
		leaving.abort();
		leaving = new AbortController();
		const inView = AbortSignal.any([signal, leaving.signal]);
		if (document.visibilityState === 'visible') {
			locks
				? locks.request(`${name}, in view`, {signal: inView}, async () => leadInView(inView)).catch(() => {})
				: lead(inView);
		}
	};
	if (locks) {
		void queue();
	}

	look();
	document.addEventListener('visibilitychange', look, {signal});
	return takeOver;
}
