import type {Receipt} from '../../../domain/mail/sending.js';
import {AlreadyAnswered, type ReceiptStore} from '../../receipt-store.js';
import type {Change} from '../state/change.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';

/** What all receipts take in memory at most, in characters, before the oldest go. */
const maxSize = 32 * 1024 * 1024;

/** Receipts that one commit deletes, so that it is short. */
const perCommit = 500;

/** Does what stores a receipt, unless there is one with its id: then it throws `AlreadyAnswered`. */
export type KeepReceipt = (receipt: Receipt, store: (change: Change) => Promise<void>) => Promise<void>;

export function createReceiptStore(state: State, writer: Writer): {receipts: ReceiptStore; keepReceipt: KeepReceipt} {
	const {receipts} = state.tables;
	const {receiptsByExpiry, sizeOfReceipts} = state.sending;
	/** Those being stored, by id: no other with that id is looked at before. Never rejects. */
	const coming = new Map<string, Promise<void>>();
	const keepReceipt: KeepReceipt = async (receipt, store) => {
		const {id} = receipt;
		while (coming.has(id)) {
			await coming.get(id);
		}

		const stored = receipts.get(id);
		if (stored && stored.expiresAt > receipt.createdAt) {
			throw new AlreadyAnswered(stored);
		}

		const oldest = sizeOfReceipts.total < maxSize ? undefined : receiptsByExpiry.first?.id;
		const storing = store([
			...(oldest === undefined ? [] : [['delete', 'receipts', oldest] as const]),
			['put', 'receipts', receipt],
		]);
		coming.set(
			id,
			storing.catch(() => {}).finally(() => coming.delete(id)),
		);
		await storing;
	};
	return {
		keepReceipt,
		receipts: {
			get: async id => receipts.get(id),
			add: async receipt =>
				keepReceipt(receipt, async change => {
					await writer.commit(change);
				}),
			deleteExpired: async now => {
				const gone = [...receiptsByExpiry.until(now)].slice(0, perCommit);
				await writer.commit(gone.map(id => ['delete', 'receipts', id]));
			},
			nextExpiry: async () => receiptsByExpiry.next(),
		},
	};
}
