import {maxJsonBytes, parseAnswer} from '../../client/caller.js';
import {collect, openAnswer} from '../../client/exchange.js';
import type {HealthBody} from '../../contract/daemon.js';
import {version} from '../../lib/version.js';
import type {Context} from '../context.js';
import {Exit, exitCodes} from '../output/exit.js';
import type {DoctorCheck} from './check.js';

/** How far two clocks may differ before filters by time go wrong; the Date header has whole seconds. */
const maxSkewMs = 5000;

const deadlineMs = 5000;

/** The check that all others need which talk to a daemon. */
export const reachable = 'daemon';

/** Whether a daemon answers, which is started if none runs, and whether its version and clock match. */
export function daemonChecks({daemon, remoteUrl, now}: Context): readonly DoctorCheck[] {
	const health = async () => {
		const url = remoteUrl() ?? (await daemon()).url;
		const {body} = await openAnswer(url, {method: 'GET', path: '/health', signal: AbortSignal.timeout(deadlineMs)}, {});
		const answer = parseAnswer<HealthBody>(url, (await collect(url, body, maxJsonBytes)).toString());
		return {url, status: answer.status, version: answer.version, date: body.headers.date};
	};
	return [
		{name: reachable, run: async () => `responds at ${(await health()).url}`},
		{name: 'store', needs: reachable, run: async () => checkStore((await health()).status)},
		{name: 'version', needs: reachable, run: async () => checkVersion((await health()).version)},
		{
			name: 'clock',
			needs: reachable,
			run: async () => checkClock(Date.parse((await health()).date ?? '') - now().getTime()),
		},
	];
}

function checkStore(status: HealthBody['status']): string {
	if (status === 'degraded') {
		throw new Exit(exitCodes.failed, 'unavailable', 'The daemon cannot reach its database.', {
			hint: 'Check that the database is running. The daemon reconnects automatically. For the reason, see its log: tinbox daemon logs',
		});
	}

	return 'responds';
}

function checkVersion(found: string): string {
	if (found !== version) {
		throw new Exit(exitCodes.failed, 'version', `The daemon runs tinbox ${found}, but this command is ${version}.`, {
			hint: 'Restart the daemon: tinbox daemon restart',
		});
	}

	return version;
}

function checkClock(skewMs: number): string {
	const distanceMs = Math.abs(skewMs);
	// A daemon that did not tell the time fails as well.
	if (!(distanceMs < maxSkewMs)) {
		const seconds = Math.round(distanceMs / 1000);
		const side = skewMs > 0 ? 'ahead' : 'behind';
		throw new Exit(exitCodes.failed, 'clock', `The clock of the daemon is ${seconds} s ${side}.`, {
			hint: 'Synchronize both clocks with NTP. Time filters and tokens depend on them.',
		});
	}

	return 'in sync';
}
