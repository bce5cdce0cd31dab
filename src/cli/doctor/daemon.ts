import {collect, open} from '../../client/exchange.js';
import type {HealthBody} from '../../contract/health.js';
import {version} from '../../lib/version.js';
import type {Context} from '../context.js';
import {Exit, exitCodes} from '../exit.js';
import type {Check} from './check.js';

/** How far two clocks may differ before filters by time go wrong; the header only tells whole seconds. */
const mostSkewMs = 5000;

const deadlineMs = 5000;

/** Whether a daemon is there, which is started if none runs, and whether it fits. */
export function daemonChecks({daemon, remoteUrl, now}: Context): {
	readonly reach: Check;
	readonly fit: readonly Check[];
} {
	const health = async () => {
		const url = remoteUrl() ?? (await daemon()).url;
		const {body} = await open(url, {method: 'GET', path: '/health', signal: AbortSignal.timeout(deadlineMs)}, {});
		const answer: HealthBody = JSON.parse((await collect(body)).toString());
		return {url, version: answer.version, date: body.headers.date};
	};
	return {
		reach: {
			name: 'daemon',
			async run() {
				return `answers at ${(await health()).url}`;
			},
		},
		fit: [
			{
				name: 'version',
				async run() {
					const found = (await health()).version;
					if (found !== version) {
						throw new Exit(exitCodes.failed, 'version', `The daemon is tinbox ${found}, this is ${version}.`, {
							hint: 'To run the same: tinbox daemon restart',
						});
					}

					return version;
				},
			},
			{
				name: 'clock',
				async run() {
					const skewMs = Date.parse((await health()).date ?? '') - now().getTime();
					if (!(Math.abs(skewMs) < mostSkewMs)) {
						throw new Exit(
							exitCodes.failed,
							'clock',
							`The clock of the daemon is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead' : 'behind'}.`,
							{hint: 'Set both clocks by the network (NTP): else filters by time and tokens go wrong.'},
						);
					}

					return 'the same time';
				},
			},
		],
	};
}
