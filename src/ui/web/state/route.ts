import {tabWords as sharedTabWords, tabs} from '../../core/tabs.js';
import {filterOfQuery, type ListFilter, queryOfFilter} from './filter-query.js';

/** The tabs of a message, in their order; the first ones are those of the terminal, by the same keys. */
export const messageTabs = [...tabs, 'session', 'webhooks'] as const;

export type MessageTab = (typeof messageTabs)[number];

/** The labels of the tabs. */
export const tabWords: Readonly<Record<MessageTab, string>> = {
	...sharedTabWords,
	session: 'SMTP',
	webhooks: 'Webhooks',
};

/** A message, and the tab that is open; undefined is the one that suits it. */
export type OpenMessage = {readonly inboxId: string; readonly messageId: string; readonly tab?: MessageTab | undefined};

/** What the address of the page says is shown. */
export type Route =
	/** The inboxes, and nothing selected. */
	| {readonly screen: 'inboxes'}
	/** The mail of all inboxes, or (`inboxId`) of one. */
	| {
			readonly screen: 'mail';
			readonly inboxId: string | undefined;
			readonly open: OpenMessage | undefined;
			readonly filter: ListFilter;
	  }
	/** Of the daemon where the inbox is null. */
	| {
			readonly screen: 'faults';
			readonly inboxId: string | null;
			readonly faultId?: string | undefined;
			readonly hitId?: string | undefined;
	  }
	| {readonly screen: 'webhooks'; readonly endpointId?: string | undefined; readonly deliveryId?: string | undefined}
	/** Nothing is at this address; where it names an inbox (`inboxName`), not one inbox alone has that name. */
	| {readonly screen: 'nowhere'; readonly href: string; readonly inboxName?: string | undefined};

/** The mail of all inboxes, or of one, with nothing open. */
export function mailRoute(inboxId?: string, filter: ListFilter = {}): Route {
	return {screen: 'mail', inboxId, open: undefined, filter};
}

/** Whether an address has the id of an inbox there; no name of one is likely to look like it. */
export function isInboxId(text: string): boolean {
	return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);
}

/** The base address of the page. */
const base = '/app/';

/** The address of a route, from its path on. */
export function hrefOf(route: Route): string {
	switch (route.screen) {
		case 'inboxes':
			return base;
		case 'faults':
			return below(
				...(route.inboxId === null ? [] : ['inboxes', route.inboxId]),
				'faults',
				...path(route.faultId, route.hitId),
			);
		case 'webhooks':
			return below('webhooks', ...path(route.endpointId, route.deliveryId));
		case 'nowhere':
			return route.href;
		case 'mail': {
			const {inboxId, open, filter} = route;
			const query = queryOfFilter(filter);
			if (open?.tab) {
				query.set('tab', open.tab);
			}

			const path =
				inboxId === undefined
					? below('mail', ...(open ? [open.inboxId, open.messageId] : []))
					: below('inboxes', inboxId, ...(open ? ['messages', open.messageId] : []));
			return query.size === 0 ? path : `${path}?${query}`;
		}
	}
}

/** What an address shows. */
export function routeOf({pathname, search}: {readonly pathname: string; readonly search: string}): Route {
	const segments = segmentsOf(pathname);
	const route = segments && routeAt(segments, new URLSearchParams(search));
	return route ?? {screen: 'nowhere', href: pathname + search};
}

/** Undefined where nothing is. */
function routeAt([kind, ...names]: readonly string[], query: URLSearchParams): Route | undefined {
	const [id, other, ...beyond] = names;
	if (kind === undefined || (kind === 'inboxes' && id === undefined)) {
		return {screen: 'inboxes'};
	}

	if (kind === 'inboxes' && id !== undefined) {
		return routeIn(id, names.slice(1), query);
	}

	if (beyond.length > 0) {
		return undefined;
	}

	switch (kind) {
		case 'mail': {
			const open = id === undefined || other === undefined ? undefined : openMessage(id, other, query);
			return {screen: 'mail', inboxId: undefined, open, filter: filterOfQuery(query)};
		}

		case 'faults':
			return {screen: 'faults', inboxId: null, faultId: id, hitId: other};
		case 'webhooks':
			return {screen: 'webhooks', endpointId: id, deliveryId: other};
		default:
			return undefined;
	}
}

function routeIn(
	inboxId: string,
	[what = 'messages', id, other, ...beyond]: readonly string[],
	query: URLSearchParams,
): Route | undefined {
	if (what === 'faults' && beyond.length === 0) {
		return {screen: 'faults', inboxId, faultId: id, hitId: other};
	}

	const open = id === undefined ? undefined : openMessage(inboxId, id, query);
	return what === 'messages' && other === undefined
		? {screen: 'mail', inboxId, open, filter: filterOfQuery(query)}
		: undefined;
}

/** Two ids, of which the second is below the first. */
function path(id: string | undefined, other: string | undefined): readonly string[] {
	return id === undefined ? [] : other === undefined ? [id] : [id, other];
}

function below(...segments: readonly string[]): string {
	return base + segments.map(encodeURIComponent).join('/');
}

function segmentsOf(pathname: string): readonly string[] | undefined {
	try {
		return pathname
			.slice(base.length)
			.split('/')
			.filter(segment => segment !== '')
			.map(decodeURIComponent);
	} catch {
		return undefined;
	}
}

function openMessage(inboxId: string, messageId: string, query: URLSearchParams): OpenMessage {
	return {inboxId, messageId, tab: messageTabs.find(tab => tab === query.get('tab'))};
}
