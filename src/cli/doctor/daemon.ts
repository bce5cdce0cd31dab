import {maxJsonBytes, parseAnswer} from '../../client/caller.js';
import {collect, openAnswer} from '../../client/exchange.js';
import type {HealthBody} from '../../contract/answers.js';
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
		{name: reachable, run: async () => `answers at ${(await health()).url}`},
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
		throw new Exit(exitCodes.failed, 'unavailable', 'The database of the daemon does not answer.', {
			hint: 'See whether it runs. The daemon goes on by itself once it is back; its log says what is wrong: tinbox daemon logs',
		});
	}

	return 'answers';
}

function checkVersion(found: string): string {
	if (found !== version) {
		throw new Exit(exitCodes.failed, 'version', `The daemon is tinbox ${found}, this is ${version}.`, {
			hint: 'To run the same: tinbox daemon restart',
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
			hint: 'Set both clocks by the network (NTP): else filters by time and tokens go wrong.',
		});
	}

	return 'the same time';
}
