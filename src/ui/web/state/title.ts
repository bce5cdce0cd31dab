import {sanitizeLine} from '../../../lib/sanitize.js';
import {unseenIn} from '../../core/unseen.js';
import {inboxesLeft} from './places.js';
import type {WebState} from './state.js';

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
