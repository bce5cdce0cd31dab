import {ApiError} from '../../client/errors.js';
import {maxLimit} from '../../contract/constants.js';
import {describeRefusal} from '../../contract/descriptions.js';
import {ago} from '../../lib/text/units.js';
import type {Context} from '../context.js';
import type {DoctorCheck} from './check.js';
import {reachable} from './daemon.js';

/** What counts as recent. */
const recentMs = 60 * 60_000;

/** Tells of mail that was refused of late, which is for whoever sends it to mend. */
export function refusalCheck({api, now}: Pick<Context, 'api' | 'now'>): DoctorCheck {
	return {
		name: 'refusals',
		needs: reachable,
		async run() {
			try {
				const since = new Date(now().getTime() - recentMs).toISOString();
				const recent = (await (await api()).refusals.list({limit: maxLimit})).filter(({time}) => time >= since);
				const [latest] = recent;
				return latest
					? `${recent.length} in the last hour, most recent ${ago(latest.time, now())}: ${describeRefusal(latest)}`
					: 'none in the last hour';
			} catch (error) {
				if (error instanceof ApiError && error.status === 403) {
					return 'visible only to the operator';
				}

				throw error;
			}
		},
	};
}
