import {ApiError} from '../../../client/errors.js';
import {takeRows} from '../../../client/pages.js';
import {maxLimit} from '../../../contract/constants.js';
import {causeOf} from '../../../lib/errors.js';
import {sleep} from '../../../lib/time/sleep.js';
import type {FeedStatus} from '../../core/store.js';
import type {Web} from '../context.js';
import {withReadInboxes} from '../state/events.js';
import {type FaultsState, faultChosen, isHolderKnown} from '../state/faults.js';
import {isFilter, keyOfPlace, type ListPlace, type ListRead, rowsAtOnce, withRead} from '../state/message-list.js';
import {listRead, openList, updatedList} from '../state/open-list.js';
import type {WebState, WebUpdate} from '../state/state.js';
import {deliveryPageOf, openEndpoint, queryOfEndpoint, type WebhooksState} from '../state/webhooks.js';
import {isLoggedOut} from './notices.js';

/** What a state lacks, under a name of its own, and how to read it. */
type WebLack = {
	readonly name: string;
	/** `now`: the state, which may be another one meanwhile. */
	read(now: () => WebState): Promise<WebUpdate>;
	/** Where a failure is shown; a notice unless given. */
	readonly failed?: (error: unknown) => WebUpdate;
};

/** Finds what a state lacks of one kind. */
type FindLack = (state: WebState, api: Web['api']) => WebLack | undefined;

/** How long nothing is read of a list of which more may change. */
const restMs = 250;

/** What the list in view lacks. */
const listedMessages: FindLack = (state, {messages}) => {
	const lack = listRead(state);
	if (lack === undefined) {
		return undefined;
	}

	const {place, read} = lack;
	const list = openList(state);
	const rests = read.kind === 'news' || (list.revision === read.revision && list.doubt !== 'none');
	return {
		name: nameOf(place, read),
		async read(now) {
			await sleep(rests ? restMs : 0);
			const {place, read} = listRead(now()) ?? lack;
			const found = await rowsOf(messages, place, read);
			return state => updatedList(state, list => ({...withRead(list, place, read, found), problem: undefined}));
		},
		failed: error =>
			isFilter(place.filter) && error instanceof ApiError && error.status === 400
				? state =>
						updatedList(state, list => ({
							...list,
							rows: [],
							isComplete: true,
							problem: {field: error.errors?.[0]?.field, message: error.message},
						}))
				: {notice: {text: causeOf(error), tone: 'error'}},
	};
};

/**
 * What changed since makes no other one of it, nor does which page is in view by now: mail that keeps coming moves the rows on,
 * and no answer would ever be taken.
 */
function nameOf(place: ListPlace, read: ListRead): string {
	return `${keyOfPlace(place)} ${JSON.stringify({...read, changes: 0, page: 0})}`;
}

async function rowsOf(messages: Web['api']['messages'], {inboxId, filter}: ListPlace, read: ListRead) {
	const limit = rowsAtOnce;
	const asked = {
		page: {page: read.kind === 'page' ? read.page : 1},
		newest: {},
		more: {before: read.kind === 'more' ? read.before : undefined},
		news: {after: read.kind === 'news' ? read.after : undefined},
	}[read.kind];
	return inboxId === undefined
		? messages.summariesOfAll({...filter, ...asked, limit})
		: messages.summaries(inboxId, {...filter, ...asked, limit});
}

type Api = Web['api'];

const putWebhooks =
	(part: Partial<WebhooksState>): WebUpdate =>
	({webhooks}) => ({webhooks: {...webhooks, ...part}});

/** Whether the endpoints were read as late as the state asks for. */
export function areEndpointsRead(state: WebState): boolean {
	return state.webhooks.endpointsRead === endpointsRequest(state);
}

function endpointsRequest({revision, webhooks}: WebState): string {
	return `${webhooks.endpointsRevision} ${revision}`;
}

function endpoints(state: WebState, api: Api): WebLack | undefined {
	const name = endpointsRequest(state);
	const read = async (): Promise<WebUpdate> => putWebhooks({...(await api.webhooks.list()), endpointsRead: name});
	return state.route.screen === 'webhooks' && !areEndpointsRead(state) ? {name, read} : undefined;
}

function deliveries({route, revision, webhooks}: WebState, api: Api): WebLack | undefined {
	const endpoint = route.screen === 'webhooks' ? openEndpoint(webhooks, route) : undefined;
	if (endpoint === undefined) {
		return undefined;
	}

	const query = queryOfEndpoint(webhooks, endpoint.id);
	const name = `${JSON.stringify(query)} ${webhooks.deliveriesRevision} ${revision}`;
	const read = async (): Promise<WebUpdate> => {
		const {endpointId, ...asked} = query;
		const {deliveries: rows, pagination} = await api.webhooks.deliveries(endpointId, {...asked, limit: maxLimit});
		return putWebhooks({deliveries: {query, rows, total: pagination.total}, deliveriesRead: name});
	};
	return name === webhooks.deliveriesRead ? undefined : {name, read};
}

/** The open delivery, where the list does not have it. */
function singleDelivery({route, revision, webhooks}: WebState, api: Api): WebLack | undefined {
	if (route.screen !== 'webhooks' || route.endpointId === undefined || route.deliveryId === undefined) {
		return undefined;
	}

	const {endpointId, deliveryId: id} = route;
	const name = `${endpointId} ${id} ${webhooks.deliveriesRevision} ${revision}`;
	const page = deliveryPageOf(webhooks, endpointId);
	const isListed = page === undefined || page.rows.some(row => row.id === id);
	const read = async () =>
		putWebhooks({single: {id, delivery: await api.webhooks.delivery(endpointId, id)}, singleRead: name});
	const failed = (error: unknown) => putWebhooks({single: {id, delivery: causeOf(error)}, singleRead: name});
	return isListed || name === webhooks.singleRead ? undefined : {name, read, failed};
}

type FaultsApi = Web['api'];

const putFaults =
	(part: Partial<FaultsState>): WebUpdate =>
	({faults}) => ({faults: {...faults, ...part}});

/** Whether the faults were read as late as the state asks for. */
export function areFaultsRead(state: WebState): boolean {
	return state.faults.faultsRead === faultsRequest(state);
}

function faultsRequest({route, revision, faults}: WebState): string {
	return `${route.screen === 'faults' ? route.inboxId : ''} ${faults.faultsRevision} ${revision}`;
}

function faultList(state: WebState, api: FaultsApi): WebLack | undefined {
	const {route} = state;
	if (route.screen !== 'faults' || areFaultsRead(state) || !isHolderKnown(state.inboxes, route.inboxId)) {
		return undefined;
	}

	const {inboxId} = route;
	const name = faultsRequest(state);
	const read = async () =>
		putFaults({list: {inboxId, rows: await api.faults.list(inboxId)}, problem: undefined, faultsRead: name});
	const failed = (error: unknown) => putFaults({list: undefined, problem: causeOf(error)});
	return {name, read, failed};
}

/** Read when it is known which faults there are: the chosen one may be gone. */
function hitList(state: WebState, api: FaultsApi): WebLack | undefined {
	const {route, revision, faults} = state;
	if (route.screen !== 'faults' || !areFaultsRead(state)) {
		return undefined;
	}

	const {inboxId} = route;
	const faultId = faultChosen(route.faultId);
	const name = `${inboxId} ${faultId} ${faults.hitsRevision} ${revision}`;
	const read = async () => {
		const {hits: rows, total} = await api.faults.hits(inboxId, {fault: faultId, page: 1, limit: maxLimit});
		return putFaults({hits: {inboxId, faultId, rows, total}, hitsRead: name});
	};
	return name === faults.hitsRead ? undefined : {name, read};
}

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
