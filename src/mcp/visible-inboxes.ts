import {ApiError} from '../client/errors.js';
import {findInboxes} from '../client/inboxes.js';
import type {Client} from '../client/index.js';
import type {InboxBody} from '../contract/inboxes.js';
import {AppError} from '../domain/errors.js';

/** An inbox as a session knows it. */
type Known = Pick<InboxBody, 'id' | 'email_address' | 'name'>;

/** How many inboxes an answer names. */
const maxNamed = 10;

/** What whoever sets up a session has it see besides the inboxes that it makes. */
export type SharedInboxes = {
	/** Handed over: the session may do with them what it may do with its own. */
	readonly named: readonly Known[];
	/** It may read every inbox of the user. */
	readonly all: boolean;
};

/** The inboxes of one session: those that were made in it, and what is shared with it. All others are not there. */
export class VisibleInboxes {
	readonly #client: Client;
	readonly #seesAll: boolean;
	/** Those that the session may change: its own, and those that were handed over. */
	readonly #own = new Map<string, Known>();
	readonly #shared: readonly Known[];

	constructor(client: Client, {named, all}: SharedInboxes) {
		this.#client = client;
		this.#seesAll = all;
		this.#shared = named;
		for (const inbox of named) {
			this.add(inbox);
		}
	}

	/** Is told of one that the session may change. */
	add({id, email_address, name}: Known): void {
		this.#own.set(id, {id, email_address, name});
	}

	/** Is told that one is gone. */
	remove(id: string): void {
		this.#own.delete(id);
	}

	/** The inbox with this id, address (in any spelling) or name. Throws `not_found`, and `ambiguous` when several have the name. */
	async find(text: string): Promise<Known> {
		const lower = text.toLowerCase();
		const known = [...this.#own.values()];
		const exact = known.find(({id, email_address}) => id === text || email_address.toLowerCase() === lower);
		if (exact) {
			return exact;
		}

		const named = known.filter(({name}) => name === text);
		const found = named.length > 0 ? named : await this.#look(text);
		const [first, ...others] = found;
		if (!first) {
			throw new AppError('not_found', `This session has no inbox "${text}". ${this.#whatThereIs(known)}`);
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

	/** The same of those that the session may change. Throws `forbidden` for one that it may only read. */
	async findOwn(text: string): Promise<Known> {
		const found = await this.find(text);
		if (!this.#own.has(found.id)) {
			throw new AppError(
				'forbidden',
				`${found.email_address} is read-only: it was not created in this session. To allow changes, the person who configured this server must add it with --inbox.`,
			);
		}

		return found;
	}

	/** What is shared with the session, in a sentence; undefined for nothing. */
	describeShared(): string | undefined {
		const named = this.#shared.length === 0 ? '' : `You may also use ${listed(this.#shared)}. `;
		const all = this.#seesAll ? 'You may also read all other inboxes of this user.' : '';
		return `${named}${all}`.trim() || undefined;
	}

	async #look(text: string): Promise<readonly Known[]> {
		if (this.#seesAll) {
			return findInboxes(this.#client.inboxes, text);
		}

		const other = text.includes('@') ? await this.#client.inboxes.get(text).catch(noneIfNotFound) : undefined;
		return other && this.#own.has(other.id) ? [other] : [];
	}

	#whatThereIs(known: readonly Known[]): string {
		if (this.#seesAll) {
			return 'Create one with create_inbox.';
		}

		const here = known.length === 0 ? 'Create one with create_inbox.' : `Available: ${listed(known)}.`;
		return `${here} To use other inboxes, ask the person who configured this server to add them with --inbox.`;
	}
}

function listed(inboxes: readonly Known[]): string {
	const names = inboxes
		.slice(-maxNamed)
		.map(({email_address, name}) => email_address + (name === null ? '' : ` (${name})`));
	return names.join(', ') + (inboxes.length > maxNamed ? ` and ${inboxes.length - maxNamed} others` : '');
}

function noneIfNotFound(error: unknown): undefined {
	if (!(error instanceof ApiError && error.status === 404)) {
		throw error;
	}
}
