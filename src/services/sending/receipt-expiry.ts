import type {Store} from '../../store/port.js';
import {Expiry, type ExpiryOptions} from '../expiry.js';

/** Deletes the receipts of requests when they are over. */
export function createReceiptExpiry({receipts}: Pick<Store, 'receipts'>, options: ExpiryOptions): Expiry {
	return new Expiry(
		{
			things: 'receipts',
			next: async () => receipts.nextExpiry(),
			deleteOver: async now => {
				await receipts.deleteExpired(now);
				return [];
			},
		},
		options,
	);
}
