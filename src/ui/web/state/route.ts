import {findings, matches} from '../../../contract/constants.js';
import type {MessageFilter} from '../../../contract/messages.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {tabWords as sharedTabWords, tabs} from '../../core/keys.js';

/** Tabs of a message: the tabs of the terminal UI, with the same keys, and two more. */
export const messageTabs = [...tabs, 'session', 'webhooks'] as const;

export type MessageTab = (typeof messageTabs)[number];

/** Labels of the tabs. */
export const tabWords: Readonly<Record<MessageTab, string>> = {
	...sharedTabWords,
	session: 'SMTP',
	webhooks: 'Webhooks',
};

/** Open message and tab; undefined for the default tab of the message. */
export type OpenMessage = {readonly inboxId: string; readonly messageId: string; readonly tab?: MessageTab | undefined};

/** Content of the page, as its URL names it. */
export type Route =
	/** List of inboxes without a selection. */
	| {readonly screen: 'inboxes'}
	/** Messages of an inbox, or (undefined) of all. */
	| {
			readonly screen: 'mail';
			readonly inboxId: string | undefined;
			readonly open: OpenMessage | undefined;
			readonly filter: ListFilter;
	  }
	/** Faults of an inbox, or (null) of the daemon. */
	| {
			readonly screen: 'faults';
			readonly inboxId: string | null;
			readonly faultId?: string | undefined;
			readonly hitId?: string | undefined;
	  }
	| {readonly screen: 'webhooks'; readonly endpointId?: string | undefined; readonly deliveryId?: string | undefined}
	/** Unknown path. `inboxName` is the name of no inbox, or of several. */
	| {readonly screen: 'nowhere'; readonly href: string; readonly inboxName?: string | undefined};

/** Route to the messages of an inbox, or of all, without an open message. */
export function mailRoute(inboxId?: string, filter: ListFilter = {}): Route {
	return {screen: 'mail', inboxId, open: undefined, filter};
}

/** Path of the page. */
const base = '/app/';

/** Path and query of a route. */
export function hrefOf(route: Route): string {
	switch (route.screen) {
		case 'inboxes':
			return base;
		case 'faults':
			return below(...(route.inboxId === null ? [] : ['inboxes', route.inboxId]), 'faults', route.faultId, route.hitId);
		case 'webhooks':
			return below('webhooks', route.endpointId, route.deliveryId);
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
					? below('mail', open?.inboxId, open?.messageId)
					: below('inboxes', inboxId, open && 'messages', open?.messageId);
			return query.size === 0 ? path : `${path}?${query}`;
		}
	}
}

/** Route of a URL. */
export function routeOf({pathname, search}: {readonly pathname: string; readonly search: string}): Route {
	const segments = segmentsOf(pathname);
	const route = segments && routeAt(segments, new URLSearchParams(search));
	return route ?? {screen: 'nowhere', href: pathname + search};
}

function routeAt([kind, ...names]: readonly string[], query: URLSearchParams): Route | undefined {
	const [inboxId, what, ids] =
		kind === 'inboxes' ? [names[0], names[1] ?? 'messages', names.slice(2)] : [undefined, kind, names];
	const [id, other, ...beyond] = ids;
	if (kind === undefined || (kind === 'inboxes' && inboxId === undefined)) {
		return {screen: 'inboxes'};
	}

	if (beyond.length > 0) {
		return undefined;
	}

	if (what === 'faults') {
		return {screen: 'faults', inboxId: inboxId ?? null, faultId: id, hitId: other};
	}

	if (inboxId === undefined && what === 'webhooks') {
		return {screen: 'webhooks', endpointId: id, deliveryId: other};
	}

	const isMail = inboxId === undefined ? what === 'mail' : what === 'messages' && other === undefined;
	const [openInboxId, messageId] = inboxId === undefined ? [id, other] : [inboxId, id];
	const tab = messageTabs.find(tab => tab === query.get('tab'));
	const open = openInboxId && messageId ? {inboxId: openInboxId, messageId, tab} : undefined;
	return isMail ? {screen: 'mail', inboxId, open, filter: filterOfQuery(query)} : undefined;
}

function below(...segments: ReadonlyArray<string | undefined>): string {
	const known = segments.filter(segment => segment !== undefined);
	return base + known.map(encodeURIComponent).join('/');
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

/** Filter of a list. */
export type ListFilter = MessageFilter & {
	/** Invalid parameters of the URL. */
	readonly invalid?: ReadonlyArray<readonly [name: string, value: string]> | undefined;
};

/** Error of a filter and the invalid field, if it is a single one. */
export type FilterProblem = {readonly field: string | undefined; readonly message: string};

/** Parameters with a single text, with several values, and with fixed values. */
const texts = ['q', 'subject', 'from', 'to', 'contains', 'smtp_user', 'after'] as const;
const lists: readonly string[] = ['header', 'link', 'has'];
const words = new Map<string, readonly string[]>([
	['has', findings],
	['match', matches],
	['tls', ['true', 'false']],
]);

const names: readonly string[] = [...new Set([...texts, ...lists, ...words.keys()])];

/** Maximum number of invalid names in an error, and maximum length of each. */
const maxNames = 5;
const maxLength = 100;

/** Filter in the query of a URL. Empty parameters are ignored. */
function filterOfQuery(query: URLSearchParams): ListFilter {
	const parameters = [...query].filter(([name, value]) => name !== 'tab' && value !== '');
	const isValid = (name: string) => {
		const values = parameters.filter(each => each[0] === name).map(([, value]) => value);
		const isKnownWord = values.every(value => words.get(name)?.includes(value) ?? true);
		return names.includes(name) && isKnownWord && (values.length === 1 || lists.includes(name));
	};
	const invalid = parameters.filter(([name]) => !isValid(name));
	const valid = new URLSearchParams(parameters.filter(([name]) => isValid(name)));
	const [header, link] = [valid.getAll('header'), valid.getAll('link')];
	const has = findings.filter(finding => valid.getAll('has').includes(finding));
	const match = matches.find(match => match === valid.get('match'));
	const tls = valid.get('tls');
	return {
		...Object.fromEntries(texts.flatMap(name => (valid.has(name) ? [[name, valid.get(name)]] : []))),
		...(header.length > 0 && {header}),
		...(link.length > 0 && {link}),
		...(has.length > 0 && {has}),
		...(match && {match}),
		...(tls !== null && {tls: tls === 'true'}),
		...(invalid.length > 0 && {invalid}),
	};
}

function queryOfFilter({invalid = [], ...filter}: ListFilter): URLSearchParams {
	const query = new URLSearchParams();
	for (const [name, value = ''] of Object.entries(filter)) {
		for (const each of [value].flat()) {
			query.append(name, String(each));
		}
	}

	for (const [name, value] of invalid) {
		query.append(name, value);
	}

	return query;
}

/** Error for invalid parameters of the URL; undefined for none. */
export function filterProblem({invalid = []}: ListFilter): FilterProblem | undefined {
	const [first, ...others] = new Set(invalid.map(([name]) => name));
	return first === undefined
		? undefined
		: {field: first, message: [first, ...others].slice(0, maxNames).map(sentenceOf).join(' ')};
}

function sentenceOf(name: string): string {
	const quoted = `"${sanitizeLine(name.slice(0, maxLength))}"`;
	const taken = words.get(name)?.map(word => `"${word}"`);
	return names.includes(name)
		? `${quoted} must be ${taken?.join(' or ') ?? 'a single value'}.`
		: `Unknown filter ${quoted}. Supported: ${names.join(', ')}.`;
}
