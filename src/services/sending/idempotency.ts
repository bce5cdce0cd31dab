import {createHash} from 'node:crypto';
import {setImmediate} from 'node:timers/promises';
import type {SendProvider} from '../../contract/constants.js';
import {type Receipt, SendError, sizeOfReceipt} from '../../domain/mail/sending.js';
import {AlreadyAnswered, type Store} from '../../store/port.js';
import {Expiry, type ExpiryOptions} from '../expiry.js';
import type {Sender} from './senders.js';
import type {CreateReceipt, SendResult} from './sending.js';

/** Lifetime of a receipt. */
const receiptLifetimeMs = 24 * 60 * 60_000;

/** Maximum size of a receipt in bytes. A request with a larger one is performed again if it is repeated. */
const maxReceiptBytes = 64 * 1024;

/** Bytes of new receipts after which the budget of the store is checked. */
const checkedBytes = 1024 * 1024;

/** Request with an idempotency key. */
type KeyedRequest = {
	readonly provider: SendProvider;
	readonly sender: Pick<Sender, 'keyHash' | 'owner'>;
	/** Separates users whose apps use the same API key. */
	readonly tenant: string;
	readonly key: string;
	/** Parts of the request. A repeated request must have the same ones. */
	readonly parts: readonly (string | Buffer)[];
};

type Receipts = {readonly receipts: Pick<Store['receipts'], 'get'>};

/** Performs requests with an idempotency key only once, on all nodes together. */
export class IdempotentRequests {
	readonly #receipts: Receipts['receipts'];
	/** Deletes receipts beyond the budget of the store. */
	readonly #expiry: Pick<Expiry, 'schedule'>;
	readonly #now: () => Date;
	/** Receipt ids of the requests in progress on this node. */
	readonly #inProgress = new Set<string>();
	#uncheckedBytes = 0;

	constructor({receipts}: Receipts, expiry: Pick<Expiry, 'schedule'>, now: () => Date) {
		this.#receipts = receipts;
		this.#expiry = expiry;
		this.#now = now;
	}

	/**
	 * Performs a request unless it has a receipt, whose outcomes are returned then. `perform` must store the receipt of its
	 * outcomes, if there is one, in the same commit as the mails. Throws `SendError`: `key_reused` for another request with the same
	 * key, `in_progress` for a concurrent one.
	 */
	async once(
		{provider, sender, tenant, key, parts}: KeyedRequest,
		perform: (createReceipt: CreateReceipt) => Promise<SendResult>,
	): Promise<SendResult> {
		const id = await hash([provider, sender.keyHash, tenant, key]);
		const digest = await hash(parts);
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
			const fields = {id, holder: sender.owner, digest, createdAt: now.toISOString(), expiresAt};
			return await perform(outcomes => this.#fit({...fields, outcomes}));
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

	/** Leaves out the message ids of a receipt that is too large with them: only answers about one mail show them. */
	#fit(receipt: Receipt): Receipt | undefined {
		const withoutIds = () =>
			receipt.outcomes.map(outcome => ('id' in outcome ? {...outcome, messageIds: []} : outcome));
		const smaller = sizeOfReceipt(receipt) <= maxReceiptBytes ? receipt : {...receipt, outcomes: withoutIds()};
		const size = sizeOfReceipt(smaller);
		if (size > maxReceiptBytes) {
			return undefined;
		}

		this.#uncheckedBytes += size;
		if (this.#uncheckedBytes > checkedBytes) {
			this.#uncheckedBytes = 0;
			this.#expiry.schedule(this.#now().toISOString());
		}

		return smaller;
	}
}

function repeatedResult({digest: storedDigest, outcomes}: Receipt, digest: string): SendResult {
	if (storedDigest !== digest) {
		throw new SendError({type: 'key_reused'});
	}

	return {outcomes, effect: null};
}

/** Bytes that are hashed in one turn of the event loop. */
const hashedBytes = 256 * 1024;

/** Hashes the parts with their lengths, so that their boundaries count. */
async function hash(parts: readonly (string | Buffer)[]): Promise<string> {
	const hash = createHash('sha256');
	for (const part of parts) {
		const bytes = typeof part === 'string' ? Buffer.from(part) : part;
		hash.update(`${bytes.length} `);
		for (let start = 0; start < bytes.length; start += hashedBytes) {
			if (start > 0) {
				await setImmediate();
			}

			hash.update(bytes.subarray(start, start + hashedBytes));
		}
	}

	return hash.digest('base64url');
}

/** Deletes expired receipts. */
export function createReceiptExpiry({receipts}: Pick<Store, 'receipts'>, options: ExpiryOptions): Expiry {
	return new Expiry(
		{
			things: 'receipts',
			next: async () => receipts.nextExpiry(),
			deleteExpired: async now => {
				await receipts.deleteExpired(now);
				return [];
			},
		},
		options,
	);
}
