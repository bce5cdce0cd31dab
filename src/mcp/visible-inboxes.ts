import {ignoreNotFound} from '../client/errors.js';
import {findInboxes} from '../client/inboxes.js';
import type {Client} from '../client/index.js';
import type {InboxBody} from '../contract/inboxes.js';
import {AppError} from '../domain/errors.js';

/** Identity of an inbox. */
type InboxName = Pick<InboxBody, 'id' | 'email_address' | 'name'>;

/** Maximum number of inboxes that a text lists. */
const maxNamed = 10;

/** Inboxes that a session may use besides those that it creates. */
export type SharedInboxes = {
	/** Inboxes that the session may also change. */
	readonly named: readonly InboxName[];
	/** True if the session may read all inboxes of the user. */
	readonly all: boolean;
};

/** Inboxes of one session: those that it created and those shared with it. All others are invisible. */
export class VisibleInboxes {
	readonly #client: Client;
	readonly #seesAll: boolean;
	/** Inboxes by id that the session may change. */
	readonly #writable = new Map<string, InboxName>();
	readonly #shared: readonly InboxName[];

	constructor(client: Client, {named, all}: SharedInboxes) {
		this.#client = client;
		this.#seesAll = all;
		this.#shared = named;
		for (const inbox of named) {
			this.add(inbox);
		}
	}

	/** Adds an inbox that the session may change. */
	add({id, email_address, name}: InboxName): void {
		this.#writable.set(id, {id, email_address, name});
	}

	/** Removes a deleted inbox. */
	remove(id: string): void {
		this.#writable.delete(id);
	}

	/** Finds an inbox by id, address (case-insensitive) or name. Throws `not_found`, and `ambiguous` if several have the name. */
	async find(text: string): Promise<InboxName> {
		const lower = text.toLowerCase();
		const writable = [...this.#writable.values()];
		const exact = writable.find(({id, email_address}) => id === text || email_address.toLowerCase() === lower);
		if (exact) {
			return exact;
		}

		const named = writable.filter(({name}) => name === text);
		const found = named.length > 0 ? named : await this.#search(text);
		const [first, ...others] = found;
		if (!first) {
			throw new AppError('not_found', `This session has no inbox "${text}". ${this.#describeAvailable(writable)}`);
		}

		if (others.length > 0) {
			const addresses = found.slice(0, maxNamed).map(({email_address}) => email_address);
			throw new AppError(
				'ambiguous',
				`${found.length} inboxes have the name "${text}": ${addresses.join(', ')}. Use an address.`,
			);
		}

		return first;
	}

	/** Like `find`, but throws `forbidden` for an inbox that the session may only read. */
	async findWritable(text: string): Promise<InboxName> {
		const found = await this.find(text);
		if (!this.#writable.has(found.id)) {
			throw new AppError(
				'forbidden',
				`${found.email_address} is read-only: it was not created in this session. To allow changes, the person who configured this server must add it with --inbox.`,
			);
		}

		return found;
	}

	/** Sentences about the shared inboxes; undefined if there are none. */
	describeShared(): string | undefined {
		const named = this.#shared.length === 0 ? '' : `You may also use ${listNames(this.#shared)}. `;
		const all = this.#seesAll ? 'You may also read all other inboxes of this user.' : '';
		return `${named}${all}`.trim() || undefined;
	}

	async #search(text: string): Promise<readonly InboxName[]> {
		if (this.#seesAll) {
			return findInboxes(this.#client.inboxes, text);
		}

		const other = text.includes('@') ? await this.#client.inboxes.get(text).catch(ignoreNotFound) : undefined;
		return other && this.#writable.has(other.id) ? [other] : [];
	}

	#describeAvailable(writable: readonly InboxName[]): string {
		if (this.#seesAll) {
			return 'Create one with create_inbox.';
		}

		const available = writable.length === 0 ? 'Create one with create_inbox.' : `Available: ${listNames(writable)}.`;
		return `${available} To use other inboxes, ask the person who configured this server to add them with --inbox.`;
	}
}

function listNames(inboxes: readonly InboxName[]): string {
	const names = inboxes
		.slice(-maxNamed)
		.map(({email_address, name}) => email_address + (name === null ? '' : ` (${name})`));
	return names.join(', ') + (inboxes.length > maxNamed ? ` and ${inboxes.length - maxNamed} others` : '');
}
