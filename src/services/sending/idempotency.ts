import {createHash} from 'node:crypto';
import type {SendProvider} from '../../contract/constants.js';
import {type MailOutcome, type Receipt, SendError} from '../../domain/mail/sending.js';
import {AlreadyAnswered, type Store} from '../../store/port.js';
import {Expiry, type ExpiryOptions} from '../expiry.js';
import type {Sender} from './senders.js';
import type {SendResult} from './sending.js';

/** Lifetime of a receipt. */
const receiptLifetimeMs = 24 * 60 * 60_000;

/** Request with an idempotency key. */
type KeyedRequest = {
	readonly provider: SendProvider;
	readonly sender: Pick<Sender, 'keyHash'>;
	readonly key: string;
	/** Parts of the request. A repeated request must have the same ones. */
	readonly parts: readonly (string | Buffer)[];
};

/** Performs requests with an idempotency key only once, on all nodes together. */
export class IdempotentRequests {
	readonly #receipts: Pick<Store['receipts'], 'get'>;
	readonly #now: () => Date;
	/** Receipt ids of the requests in progress on this node. */
	readonly #inProgress = new Set<string>();

	constructor({receipts}: {readonly receipts: Pick<Store['receipts'], 'get'>}, now: () => Date) {
		this.#receipts = receipts;
		this.#now = now;
	}

	/**
	 * Performs a request unless it has a receipt, whose outcomes are returned then. `perform` must store the receipt of its
	 * outcomes in the same commit as the mails. Throws `SendError`: `key_reused` for another request with the same key,
	 * `in_progress` for a concurrent one.
	 */
	async once(
		{provider, sender, key, parts}: KeyedRequest,
		perform: (receiptFor: (outcomes: readonly MailOutcome[]) => Receipt) => Promise<SendResult>,
	): Promise<SendResult> {
		const id = hash([provider, sender.keyHash, key]);
		const digest = hash(parts);
		const now = this.#now();
		const receipt = await this.#receipts.get(id);
		if (receipt && receipt.expiresAt > now.toISOString()) {
			return repeatedResult(receipt, digest);
		}

		if (this.#inProgress.has(id)) {
			throw new SendError({type: 'in_progress'});
		}

		this.#inProgress.add(id);
		try {
			const expiresAt = new Date(now.getTime() + receiptLifetimeMs).toISOString();
			return await perform(outcomes => ({id, digest, outcomes, createdAt: now.toISOString(), expiresAt}));
		} catch (error) {
			// Another node has performed the request meanwhile.
			if (error instanceof AlreadyAnswered) {
				return repeatedResult(error.receipt, digest);
			}

			throw error;
		} finally {
			this.#inProgress.delete(id);
		}
	}
}

function repeatedResult({digest: storedDigest, outcomes}: Receipt, digest: string): SendResult {
	if (storedDigest !== digest) {
		throw new SendError({type: 'key_reused'});
	}

	return {outcomes, effect: null};
}

/** Hashes the parts with their lengths, so that their boundaries count. */
function hash(parts: readonly (string | Buffer)[]): string {
	const hash = createHash('sha256');
	for (const part of parts) {
		hash.update(`${Buffer.byteLength(part)} `).update(part);
	}

	return hash.digest('base64url');
}

/** Deletes expired receipts. */
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
