import type {Store} from '../../store/store.js';
import type {Expiring} from '../expiry/expiry.js';

/** Inboxes go with their mail. */
export function expiringInboxes({inboxes}: Pick<Store, 'inboxes'>): Expiring {
	return {
		things: 'inboxes',
		next: async () => inboxes.nextExpiry(),
		deleteOver: async now => {
			const gone = await inboxes.deleteExpired(now);
			return gone.map(inbox => ({type: 'inbox.deleted', inbox}));
		},
	};
}
