import {randomInt} from 'node:crypto';
import {v7 as createId} from 'uuid';
import {offsetOf, type Page, type Routing} from '../../contract/constants.js';
import {isLocalUser, type User} from '../../domain/accounts/user.js';
import {AppError, found} from '../../domain/errors.js';
import type {FeedItem} from '../../domain/feed.js';
import {canonicalAddress, domainCatchAll, shownAddress, untagged} from '../../domain/mail/address.js';
import {changesRetention, type Inbox, type InboxPatch, isExpired} from '../../domain/mail/inbox.js';
import type {CheckUsage, Store} from '../../store/port.js';
import {memberIdsOf} from '../accounts/teams.js';
import {type Expiring, Expiry, type ExpiryOptions} from '../expiry.js';
import type {MailRetention} from '../messages/retention.js';
import type {StoredQuota} from '../quotas.js';

/** Inbox with its number of messages, and of evicted ones. */
export type CountedInbox = {readonly inbox: Inbox; readonly messageCount: number; readonly evicted: number};

type CountedInboxes = {readonly inboxes: readonly CountedInbox[]; readonly total: number};

/** Conditions of a list of inboxes; both are compared exactly, the address in canonical form. */
type InboxQuery = {readonly name?: string | undefined; readonly address?: string | undefined};

export type NewInbox = Pick<Inbox, 'name' | 'teamId' | 'bounce' | 'simulator' | 'keep' | 'keepForMs'> & {
	/** Default: `login`. */
	readonly routing?: Routing;
	/** Exact address, `*@domain`, or `*`; null for a generated address. */
	readonly address: string | null;
	/** Lifetime in seconds; null if it does not expire. */
	readonly ttlSeconds: number | null;
};

type InboxesOptions = ExpiryOptions & {
	/** Domain of generated addresses. */
	readonly domain: string;
	readonly quota: StoredQuota;
	readonly retention: Pick<MailRetention, 'evictDue'>;
};

type InboxStores = Pick<Store, 'inboxes' | 'messages' | 'teams'>;

/**
 * Inboxes. A user can see own inboxes and team inboxes. For all others, and for expired ones, methods throw `not_found`, which does
 * not reveal whether they exist.
 */
export class Inboxes {
	readonly #store: InboxStores;
	readonly #options: InboxesOptions;
	/** Deletes what has expired. */
	readonly expiry: Expiry;

	constructor(store: InboxStores, options: InboxesOptions) {
		this.#store = store;
		this.#options = options;
		this.expiry = new Expiry(expiringInboxes(store), options);
	}

	/** Creates an inbox. Throws `address_taken`, `forbidden` for addresses reserved for the local user, `not_found` for a team without the user. */
	async create(
		user: User,
		{address: wanted, ttlSeconds, routing = 'login', ...fields}: NewInbox,
	): Promise<CountedInbox> {
		await this.#assertMember(user, fields.teamId);
		assertAddressAllowed(user, wanted, this.#options.domain);
		const now = this.#options.now();
		const inbox: Omit<Inbox, 'address'> = {
			id: createId(),
			ownerId: user.id,
			...fields,
			routing,
			generation: 0,
			createdAt: now.toISOString(),
			expiresAt: ttlSeconds === null ? null : new Date(now.getTime() + ttlSeconds * 1000).toISOString(),
		};
		const createInStore = async () =>
			this.#options.quota.add(user.id, 1, async check =>
				wanted === null ? this.#createGenerated(inbox, check) : this.#createAt(inbox, wanted, check),
			);
		const address = await createInStore().catch(async error => {
			if (!(await this.#canExpiryResolve(wanted, error))) {
				throw error;
			}

			await this.expiry.deleteDue();
			return createInStore();
		});
		if (inbox.expiresAt !== null) {
			this.expiry.schedule(inbox.expiresAt);
		}

		await this.#options.feed.publish([{type: 'inbox.created', inbox}]);
		return {inbox: {...inbox, address}, messageCount: 0, evicted: 0};
	}

	/** Lists the newest first; with `name` or `address`, only inboxes with exactly this name, or the inbox with this address. */
	async list(user: User, page: Page, {name, address}: InboxQuery = {}): Promise<CountedInboxes> {
		if (address !== undefined) {
			const match = await this.#ifVisible(user, await this.#store.inboxes.byAddress(canonicalAddress(address)));
			const inbox = name === undefined || match?.name === name ? match : undefined;
			const inboxes = inbox && offsetOf(page) === 0 ? [await this.#counted(inbox)] : [];
			return {inboxes, total: inbox ? 1 : 0};
		}

		const teams = await this.#store.teams.listOf(user.id);
		const filter = {userId: user.id, teamIds: teams.map(team => team.id), name};
		const {rows, total} = await this.#store.inboxes.list(filter, page, this.#options.now().toISOString());
		return {inboxes: await Promise.all(rows.map(inbox => this.#counted(inbox))), total};
	}

	async get(user: User, idOrAddress: string): Promise<CountedInbox> {
		return this.#counted(await this.visible(user, idOrAddress));
	}

	/** Changes an inbox. Throws `not_found`, also for a team without the user, and `forbidden` to move another user's inbox. */
	async update(user: User, idOrAddress: string, patch: InboxPatch): Promise<CountedInbox> {
		const {id, ownerId, teamId} = await this.visible(user, idOrAddress);
		const isMoved = patch.teamId !== undefined && patch.teamId !== teamId;
		if (isMoved) {
			if (ownerId !== user.id) {
				throw new AppError('forbidden', 'Only the user who created an inbox can move it to another team.');
			}

			await this.#assertMember(user, patch.teamId);
		}

		const watchers = isMoved ? [...(await this.#members(teamId)), ...(await this.#members(patch.teamId))] : [];
		const updated = found(await this.#store.inboxes.update(id, patch, user.id), inboxNotFound(idOrAddress));
		const scope: FeedItem[] = isMoved ? [{type: 'scope', userIds: [ownerId, ...watchers]}] : [];
		await this.#options.feed.publish([...scope, {type: 'inbox.changed', inbox: updated}]);
		if (changesRetention(patch)) {
			await this.#options.retention.evictDue();
		}

		return this.#counted(updated);
	}

	/** Deletes the inbox with its messages. */
	async delete(user: User, idOrAddress: string): Promise<void> {
		const inbox = await this.visible(user, idOrAddress);
		found(await this.#store.inboxes.delete(inbox.id, user.id), inboxNotFound(idOrAddress));
		await this.#options.feed.publish([{type: 'inbox.deleted', inbox}]);
	}

	/** Finds the inbox with this id or address, in any spelling. Throws `not_found` unless the user can see it. */
	async visible(user: User, idOrAddress: string): Promise<Inbox> {
		const {inboxes} = this.#store;
		const isAddress = idOrAddress === '*' || idOrAddress.includes('@');
		const inbox = await (isAddress ? inboxes.byAddress(canonicalAddress(idOrAddress)) : inboxes.get(idOrAddress));
		return found(await this.#ifVisible(user, inbox), inboxNotFound(idOrAddress));
	}

	/** Finds the inbox that receives mail for the address. Exact addresses precede those without `+tag`, `*@domain` and `*`. */
	async resolve(address: string): Promise<Inbox | undefined> {
		const canonical = canonicalAddress(address);
		const base = untagged(canonical);
		return (
			(await this.#findByAddress(canonical)) ??
			(base === null ? undefined : await this.#findByAddress(base)) ??
			(await this.#findByAddress(domainCatchAll(canonical))) ??
			this.#findByAddress('*')
		);
	}

	/** Finds the inbox with this id, unless it expired. */
	async unexpired(id: string): Promise<Inbox | undefined> {
		const inbox = await this.#store.inboxes.get(id);
		return inbox && !this.#isExpired(inbox) ? inbox : undefined;
	}

	/** True if the user can see the inbox with this id. */
	async sees(user: User, id: string): Promise<boolean> {
		const inbox = await this.#store.inboxes.get(id);
		return inbox !== undefined && this.#isVisible(user, inbox);
	}

	async #findByAddress(canonical: string): Promise<Inbox | undefined> {
		const inbox = await this.#store.inboxes.byAddress(canonical);
		return inbox && !this.#isExpired(inbox) ? inbox : undefined;
	}

	/** True if deleting expired inboxes may resolve the error. */
	async #canExpiryResolve(address: string | null, error: unknown): Promise<boolean> {
		const code = error instanceof AppError ? error.code : undefined;
		const isTaken = code === 'address_taken' && address !== null;
		return isTaken ? !(await this.#findByAddress(canonicalAddress(address))) : code === 'limit_reached';
	}

	async #createAt(inbox: Omit<Inbox, 'address'>, wanted: string, check: CheckUsage): Promise<string> {
		const address = shownAddress(wanted);
		await this.#store.inboxes.create({...inbox, address}, check);
		return address;
	}

	async #createGenerated(inbox: Omit<Inbox, 'address'>, check: CheckUsage): Promise<string> {
		for (;;) {
			try {
				return await this.#createAt(inbox, `${createLocalPart()}@${this.#options.domain}`, check);
			} catch (error) {
				if (!(error instanceof AppError && error.code === 'address_taken')) {
					throw error;
				}
			}
		}
	}

	async #counted(inbox: Inbox): Promise<CountedInbox> {
		const {messages} = this.#store;
		const [messageCount, evicted] = await Promise.all([messages.count(inbox.id), messages.evicted(inbox.id)]);
		return {inbox, messageCount, evicted};
	}

	async #ifVisible(user: User, inbox: Inbox | undefined): Promise<Inbox | undefined> {
		return inbox && (await this.#isVisible(user, inbox)) ? inbox : undefined;
	}

	async #isVisible(user: User, inbox: Inbox): Promise<boolean> {
		return (
			!this.#isExpired(inbox) && (inbox.ownerId === user.id || (await this.#members(inbox.teamId)).includes(user.id))
		);
	}

	async #members(teamId: string | null | undefined): Promise<readonly string[]> {
		return memberIdsOf(this.#store.teams, teamId);
	}

	async #assertMember(user: User, teamId: string | null): Promise<void> {
		if (teamId !== null && !(await this.#members(teamId)).includes(user.id)) {
			throw new AppError('not_found', `You are not a member of a team "${teamId}".`);
		}
	}

	#isExpired(inbox: Inbox): boolean {
		return isExpired(inbox, this.#options.now());
	}
}

function inboxNotFound(idOrAddress: string): string {
	return `There is no inbox "${idOrAddress}".`;
}

function expiringInboxes({inboxes}: Pick<Store, 'inboxes'>): Expiring {
	return {
		things: 'inboxes',
		next: async () => inboxes.nextExpiry(),
		deleteExpired: async now => {
			const deleted = await inboxes.deleteExpired(now);
			return deleted.map(inbox => ({type: 'inbox.deleted', inbox}));
		},
	};
}

/** Letters and digits that cannot be confused. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Generates ten characters with 50 random bits: short enough to read out, too many to guess. */
function createLocalPart(): string {
	return Array.from({length: 10}, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** Throws `forbidden` for `*` and for `*@` with the own domain, unless the user is the local one. */
function assertAddressAllowed(user: User, address: string | null, domain: string): void {
	const reserved = ['*', `*@${domain}`].map(canonicalAddress);
	if (address !== null && reserved.includes(canonicalAddress(address)) && !isLocalUser(user)) {
		throw new AppError(
			'forbidden',
			`Only the local user of this daemon can claim "*" or "*@${domain}". Claim an exact address, or "*@" and another domain.`,
		);
	}
}
