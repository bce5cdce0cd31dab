import type {Receipt} from '../domain/mail/sending.js';

/** Thrown where a receipt is to be kept and there is one with its id: nothing was stored. */
export class AlreadyAnswered extends Error {
	readonly receipt: Receipt;

	constructor(receipt: Receipt) {
		super('The request was already answered.');
		this.name = 'AlreadyAnswered';
		this.receipt = receipt;
	}
}

/** Receipts of requests. Of very many the oldest may go before their time. */
export interface ReceiptStore {
	/** One that may be over. */
	get(id: string): Promise<Receipt | undefined>;
	/** Keeps that of a request that brings no mail; others come with theirs (`messages.add`). Throws `AlreadyAnswered`, as that does. */
	add(receipt: Receipt): Promise<void>;
	/** Deletes some of those that are over at `now`, the first first. There are more while `nextExpiry` is no later. */
	deleteExpired(now: string): Promise<void>;
	/** When the next one is over; undefined when there is none. */
	nextExpiry(): Promise<string | undefined>;
}
