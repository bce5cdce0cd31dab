import {ApiError} from '../../../client/errors.js';
import {takeRows} from '../../../client/pages.js';
import {causeOf} from '../../../lib/errors.js';
import type {FeedStatus} from '../../core/feed.js';
import {withReadInboxes} from '../state/events.js';
import type {WebState} from '../state/state.js';
import type {WebUpdate} from '../state/store.js';
import type {Web} from '../web.js';
import {isLoggedOut} from './attempt.js';
import type {FindLack, WebLack} from './lack.js';
import {faultList, hitList} from './read-faults.js';
import {listedMessages} from './read-messages.js';
import {deliveries, endpoints, singleDelivery} from './read-webhooks.js';

/** Each kind of what a state can lack. */
const finds: readonly FindLack[] = [inboxes, listedMessages, endpoints, deliveries, singleDelivery, faultList, hitList];

/** How long after a failure that can pass by itself the same is tried again, if it still is wanted. */
const defaultRetryMs = 3000;

/**
 * Reads from the daemon whatever the state lacks, one request of a kind at a time. An answer that is no longer wanted is
 * dropped. A failure is shown, and tried again when something else is wanted, when the feed is back, or after a while where it can
 * pass by itself.
 */
export function keepRead(web: Web, retryMs = defaultRetryMs): void {
	const looks = finds.map(find => keeperOf(web, find, retryMs));
	const lookForAll = () => looks.forEach(look => void look());
	lookForAll();
	web.store.subscribe(lookForAll);
}

function canPass(error: unknown): boolean {
	return !(error instanceof ApiError) || error.status >= 500;
}

/** What looks for what is lacking of one kind, and reads it unless it does so already. */
function keeperOf({store, api}: Web, find: FindLack, retryMs: number): () => Promise<void> {
	let reading = false;
	let failed: {readonly name: string; readonly feed: FeedStatus} | undefined;
	const lookAgain = () => {
		failed = store.get().feed.status === 'live' ? undefined : failed;
		void look();
	};
	const look = async () => {
		const {account, feed} = store.get();
		const lack = account.status === 'in' ? find(store.get(), api) : undefined;
		const isBack = feed.status === 'live' && feed !== failed?.feed;
		failed = lack?.name === failed?.name && !isBack ? failed : undefined;
		if (reading || lack === undefined || failed !== undefined) {
			return;
		}

		const {name} = lack;
		const isWanted = () => store.get().account === account && find(store.get(), api)?.name === name;
		reading = true;
		try {
			const update = await lack.read(store.get);
			if (isWanted()) {
				store.update(update);
			}
		} catch (error) {
			failed = {name, feed: store.get().feed};
			if (canPass(error)) {
				setTimeout(lookAgain, retryMs);
			}

			if (isWanted() && !isLoggedOut(error)) {
				store.update(lack.failed?.(error) ?? {notice: {text: causeOf(error), tone: 'error'}});
			}
		}

		reading = false;
		void look();
	};
	return look;
}

function inboxes({inboxesRevision, revision}: WebState, api: Web['api']): WebLack | undefined {
	const read = async (): Promise<WebUpdate> => {
		const rows = await takeRows(async page => (await api.inboxes.list(page)).inboxes, Number.POSITIVE_INFINITY);
		return state => ({...withReadInboxes(state, rows), inboxesRevision: revision});
	};
	return inboxesRevision === revision ? undefined : {name: `${revision}`, read};
}
