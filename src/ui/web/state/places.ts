import type {InboxBody} from '../../../contract/inboxes.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {allMail, type InboxRow, isInbox, unseenIn, withSeen} from '../../core/inboxes.js';
import {isRemoved, type Removal, withCountLeft} from './removals.js';
import {mailRoute, type Route} from './route.js';
import type {WebState} from './state.js';

/** The row of the inboxes that is shown: an inbox, all mail, or (undefined) none. */
export function placeOf(route: Route): string | undefined {
	switch (route.screen) {
		case 'mail':
			return route.inboxId ?? allMail.id;
		case 'faults':
			return route.inboxId ?? allMail.id;
		default:
			return undefined;
	}
}

/** The mail of a row of the inboxes. */
export function mailAt(place: string | undefined): Route {
	return place === undefined ? {screen: 'inboxes'} : mailRoute(place === allMail.id ? undefined : place);
}

/** Another route, with its row of the inboxes selected; the message that it opens counts as seen. */
export function withPlace({inboxes, unseen}: WebState, route: Route): Partial<WebState> {
	const selected = placeOf(route) ?? inboxes.shown.selected;
	const open = route.screen === 'mail' ? route.open : undefined;
	return {
		route,
		inboxes: {...inboxes, shown: {...inboxes.shown, selected}},
		unseen: open ? withSeen(unseen, open.inboxId, open.messageId) : unseen,
	};
}

type Left = Pick<WebState, 'inboxes' | 'removals'>;

/** The inboxes that are not on their way out, each with as many messages as are not. */
export function inboxesLeft({inboxes, removals}: Left): readonly InboxBody[] {
	return left(inboxes.all, removals).filter(isInbox);
}

/** Those of them that match the filter, and the row for all mail. */
export function rowsLeft({inboxes, removals}: Left): readonly InboxRow[] {
	return left(inboxes.shown.rows, removals);
}

function left(rows: readonly InboxRow[], removals: readonly Removal[]): readonly InboxRow[] {
	return removals.length === 0
		? rows
		: rows.filter(({id}) => !isRemoved(removals, id)).map(row => (isInbox(row) ? withCountLeft(removals, row) : row));
}

/** Where to go from an inbox that is gone: to the next one in the list, else to the one before. */
export function placeBeside(state: WebState, id: string): Route {
	const {rows} = state.inboxes.shown;
	const index = rows.findIndex(row => row.id === id);
	const isLeft = (row: InboxRow) => !isRemoved(state.removals, row.id) && row.id !== id;
	const next = rows.slice(index + 1).find(isLeft) ?? rows.slice(0, Math.max(0, index)).findLast(isLeft);
	return mailAt(next?.id);
}

/** The title of the page: how much is new, and what is shown, as in `(2) Sign-up – tinbox`. */
export function titleOf(state: WebState): string {
	const {account, unseen} = state;
	if (account.status !== 'in') {
		return 'tinbox';
	}

	const fresh = inboxesLeft(state).reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
	return `${fresh > 0 ? `(${fresh}) ` : ''}${[...placeIn(state), 'tinbox'].join(' – ')}`;
}

function placeIn({route, inboxes}: WebState): readonly string[] {
	switch (route.screen) {
		case 'inboxes':
			return [];
		case 'webhooks':
			return ['Webhooks'];
		case 'nowhere':
			return ['Not found'];
		default: {
			const inbox = inboxes.all.find(({id}) => id === route.inboxId);
			const name = inbox && sanitizeLine(inbox.name ?? inbox.email_address);
			const kind = route.screen === 'faults' ? ['Faults'] : name === undefined ? ['All inboxes'] : [];
			return [...kind, ...(name === undefined ? [] : [name])];
		}
	}
}
