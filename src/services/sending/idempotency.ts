import {createHash} from 'node:crypto';
import type {SendProvider} from '../../contract/constants.js';
import {type Receipt, Unsent} from '../../domain/mail/sending.js';
import {AlreadyAnswered, type Store} from '../../store/port.js';
import {Expiry, type ExpiryOptions} from '../expiry.js';
import type {Sender} from './senders.js';

/** How long the same request has the same answer. */
const keptForMs = 24 * 60 * 60_000;

/** What tells a request from others. */
type Identity = {
	readonly provider: SendProvider;
	readonly sender: Pick<Sender, 'keyHash'>;
	/** Under which it is to be done once. */
	readonly key: string;
	/** All that it asks for. */
	readonly asked: readonly (string | Buffer)[];
};

type Answer = Receipt['answer'];

/** Has requests with an idempotency key done once, on whichever node: the same again has the same answer. */
export class IdempotentRequests {
	readonly #receipts: Pick<Store['receipts'], 'get'>;
	readonly #now: () => Date;
	/** Requests that are being done here. */
	readonly #underWay = new Set<string>();

	constructor({receipts}: {readonly receipts: Pick<Store['receipts'], 'get'>}, now: () => Date) {
		this.#receipts = receipts;
		this.#now = now;
	}

	/**
	 * Does the work, which is to store the receipt that it is given a maker of; undefined when it was done, with the answer of then. Throws `Unsent`: `key_reused`
	 * for another request with the key, `in_progress` while it is being done.
	 */
	async once<Done>(
		identity: Identity,
		work: (receiptFor: (answer: Answer) => Receipt) => Promise<Done>,
	): Promise<Done | {readonly before: Answer}> {
		const id = hash([identity.provider, identity.sender.keyHash, identity.key]);
		const digest = hash(identity.asked);
		const now = this.#now();
		const known = await this.#receipts.get(id);
		if (known && known.expiresAt > now.toISOString()) {
			return {before: sameAnswer(known, digest)};
		}

		if (this.#underWay.has(id)) {
			throw new Unsent({type: 'in_progress'});
		}

		this.#underWay.add(id);
		try {
			const expiresAt = new Date(now.getTime() + keptForMs).toISOString();
			return await work(answer => ({id, digest, answer, createdAt: now.toISOString(), expiresAt}));
		} catch (error) {
			// By another node meanwhile.
			if (error instanceof AlreadyAnswered) {
				return {before: sameAnswer(error.receipt, digest)};
			}

			throw error;
		} finally {
			this.#underWay.delete(id);
		}
	}
}

function sameAnswer(receipt: Receipt, digest: string): Answer {
	if (receipt.digest !== digest) {
		throw new Unsent({type: 'key_reused'});
	}

	return receipt.answer;
}

/** Each with its length, so that none runs into the next. */
function hash(parts: readonly (string | Buffer)[]): string {
	const hash = createHash('sha256');
	for (const part of parts) {
		hash.update(`${Buffer.byteLength(part)} `).update(part);
	}

	return hash.digest('base64url');
}

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
