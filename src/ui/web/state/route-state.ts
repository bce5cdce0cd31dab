import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {unseenIn, withSeen} from '../../core/inboxes.js';
import {inboxesLeft, inboxRowIdOf} from './inbox-rows.js';
import type {Route} from './route.js';
import type {WebState} from './state.js';

/** Changes the route, selects its inbox, and marks its message as seen. */
export function withRoute({inboxes, unseen}: WebState, route: Route): Partial<WebState> {
	const selected = inboxRowIdOf(route) ?? inboxes.shown.selected;
	const open = route.screen === 'mail' ? route.open : undefined;
	return {
		route,
		inboxes: {...inboxes, shown: {...inboxes.shown, selected}},
		unseen: open ? withSeen(unseen, open.inboxId, open.messageId) : unseen,
	};
}

/** Title of the page: number of new messages and content, as in `(2) Sign-up – tinbox`. */
export function titleOf(state: WebState): string {
	const {account, unseen} = state;
	if (account.status !== 'in') {
		return 'tinbox';
	}

	const fresh = inboxesLeft(state).reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
	return `${fresh > 0 ? `(${fresh}) ` : ''}${[...namesOf(state), 'tinbox'].join(' – ')}`;
}

function namesOf({route, inboxes}: WebState): readonly string[] {
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
