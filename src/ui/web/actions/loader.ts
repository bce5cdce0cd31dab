import {type FindMissing, startLoader} from '../../core/loader.js';
import {errorNotice} from '../../core/store.js';
import type {Finder, Web} from '../context.js';
import type {WebState} from '../state/state.js';
import {missingFaults, missingHits} from './faults.js';
import {missingInboxes} from './inboxes.js';
import {missingRows} from './message-list.js';
import {isLoggedOut} from './notices.js';
import {missingParts} from './open-message.js';
import {missingDeliveries, missingDelivery, missingEndpoints} from './webhooks.js';

/** Everything that the page reads from the daemon. */
const finders: readonly Finder[] = [
	missingInboxes,
	missingRows,
	...missingParts,
	missingEndpoints,
	missingDeliveries,
	missingDelivery,
	missingFaults,
	missingHits,
];

const defaultRetryMs = 3000;

/** Reads what the page shows, as long as a user is logged in. */
export function loadPage({store, api}: Web, retryMs = defaultRetryMs): void {
	const forAccount =
		(find: Finder): FindMissing<WebState> =>
		state => {
			const {account} = state;
			const missing = account.status === 'in' ? find(state, api) : undefined;
			const failed = (error: unknown) =>
				isLoggedOut(error) ? {} : (missing?.failed?.(error) ?? {notice: errorNotice(error)});
			return missing && account.status === 'in'
				? {...missing, name: `${account.email} ${missing.name}`, failed}
				: undefined;
		};
	startLoader(store, finders.map(forAccount), {retryMs});
}
