import {expect} from 'vitest';
import type {Store} from '../../../src/store/port.js';
import {readSource, receive, someInbox, someUser} from './rows.js';

/** The acknowledged content of a store. */
export class Ledger {
	/** Bytes of the existing messages by id. */
	readonly kept = new Map<string, Buffer>();
	/** Ids of deleted messages. */
	readonly gone = new Set<string>();
	readonly inboxId: string;

	constructor(inboxId: string) {
		this.inboxId = inboxId;
	}

	static async open(store: Store): Promise<Ledger> {
		const owner = someUser();
		const inbox = someInbox({ownerId: owner.id});
		await store.users.create(owner);
		await store.inboxes.create(inbox);
		return new Ledger(inbox.id);
	}

	async receive(store: Store, bytes: Buffer): Promise<string> {
		const {id} = await receive(store, this.inboxId, {bytes});
		this.kept.set(id, bytes);
		return id;
	}

	/** Makes a change without a source. */
	async rename(store: Store, name: string): Promise<void> {
		await store.inboxes.update(this.inboxId, {name});
	}

	async delete(store: Store, id: string): Promise<void> {
		await store.messages.delete(id);
		this.kept.delete(id);
		this.gone.add(id);
	}

	copy(): Ledger {
		const copy = new Ledger(this.inboxId);
		for (const [id, bytes] of this.kept) {
			copy.kept.set(id, bytes);
		}

		for (const id of this.gone) {
			copy.gone.add(id);
		}

		return copy;
	}
}

/** The ids of all messages of the ledger's inbox. */
export async function idsIn(store: Store, {inboxId}: Ledger): Promise<string[]> {
	const messages = await store.messages.list(inboxId, {}, {page: 1, limit: 100_000});
	return messages.map(({id}) => id);
}

/** Expects the content of the ledger in the store and, unless more is allowed, nothing else. */
export async function expectKept(store: Store, ledger: Ledger, {orMore = false} = {}): Promise<void> {
	const ids = await idsIn(store, ledger);
	const expected = [...ledger.kept.keys()];
	expect(orMore ? ids.filter(id => ledger.kept.has(id)).sort() : ids.sort()).toEqual(expected.sort());
	expect(ids.filter(id => ledger.gone.has(id))).toEqual([]);
	for (const [id, bytes] of ledger.kept) {
		const message = await store.messages.get(id);
		const source = await readSource(store, message?.sourceId ?? '');
		expect(source?.equals(bytes), `the bytes of message ${id}`).toBe(true);
	}
}
