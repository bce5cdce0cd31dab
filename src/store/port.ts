import type {Readable} from 'node:stream';
import type {DeliveryStatus, FaultStage, Page, WebhookEvent} from '../contract/constants.js';
import type {Invite, Member, Team} from '../domain/accounts/team.js';
import type {ApiKey, User, WebSession} from '../domain/accounts/user.js';
import type {CountedFault, Fault, FaultCount, FaultHit} from '../domain/faults/fault.js';
import type {FeedItem} from '../domain/feed.js';
import type {PendingBounce} from '../domain/mail/bounce.js';
import type {SummaryFilter} from '../domain/mail/filter.js';
import type {Inbox, InboxPatch} from '../domain/mail/inbox.js';
import type {Message} from '../domain/mail/message.js';
import type {Receipt, Template} from '../domain/mail/sending.js';
import type {Node, NodeReport} from '../domain/node.js';
import type {Delivery, Endpoint, EndpointPatch} from '../domain/webhooks/delivery.js';
import type {DumpStore} from './dump.js';

/**
 * Persistent data of tinbox, by noun. Four guarantees hold for every implementation:
 *
 * - A resolved write is durable: it survives a crash of the process and of the machine. A rejected write left nothing
 *   behind; it rejects with `storage_full` if the disk is full (reads and deletes continue) and with `stopping` after `close`.
 *   Reads and writes reject with `unavailable` while the storage cannot be reached; it is then unknown whether a write was made.
 * - Reads return only durable data, and each operation is atomic: two concurrent ones cannot pass a limit together.
 * - No row outlives the user or team that it belongs to. After their deletion, also a concurrent one, creating a row for
 *   them throws `not_found`.
 * - A deleted row is invisible as soon as the deletion is durable. Its dependent rows are removed in small steps, which block
 *   nobody. A delete resolves when all of them are removed; after a crash the next start removes the rest.
 *
 * Lists are newest first. A missing row is `undefined` or `false`; only violated rules throw an `AppError`. `by` is the id of the
 * user who causes a write; users take turns for the sessions of a database.
 */
export interface Store {
	readonly secrets: SecretStore;
	readonly users: UserStore;
	readonly keys: KeyStore;
	readonly webSessions: WebSessionStore;
	readonly rates: RateStore;
	readonly teams: TeamStore;
	readonly inboxes: InboxStore;
	readonly sources: SourceStore;
	readonly messages: MessageStore;
	readonly endpoints: EndpointStore;
	readonly deliveries: DeliveryStore;
	readonly faults: FaultStore;
	readonly bounces: BounceStore;
	readonly receipts: ReceiptStore;
	readonly templates: TemplateStore;
	readonly dump: DumpStore;
	readonly events: EventStore;
	readonly nodes: NodeStore;
	/** Usage of a user, or of all users together. Its cost does not depend on the number of rows. */
	usage(userId?: string): Promise<Usage>;
	/** Bytes on disk, including space that is not reclaimed yet. May take long, but blocks nobody. */
	size(): Promise<number>;
	/** False if the storage was unreachable at the last access. Makes no access itself. */
	isAvailable(): boolean;
	/** Finishes the running writes, rejects new ones and releases the data. */
	close(): Promise<void>;
}

/** One page of rows, and the number of rows on all pages. */
export type Rows<Row> = {readonly rows: readonly Row[]; readonly total: number};

/** Secrets by name, shared by all daemons that use the store. */
export interface SecretStore {
	get(name: string): Promise<string | undefined>;
	/** Replaces the secret if it still equals `before` (undefined: is missing). Resolves to the secret stored afterwards. */
	put(name: string, secret: string, before?: string): Promise<string>;
}

export interface UserStore {
	/** Throws `email_taken`. */
	create(user: User): Promise<void>;
	get(id: string): Promise<User | undefined>;
	/** Compares canonical addresses. */
	byEmail(email: string): Promise<User | undefined>;
	list(): Promise<readonly User[]>;
	update(id: string, patch: Partial<Pick<User, 'name' | 'plan'>>): Promise<User | undefined>;
	/**
	 * Deletes the user with own keys, web sessions, templates, inboxes (and their mail), endpoints (and their deliveries),
	 * memberships, and owned teams with their invites. Inboxes of other users in those teams lose their team.
	 */
	delete(id: string): Promise<boolean>;
}

export interface KeyStore {
	/** Throws `plan_limit` if the user has `limit` keys. A key with the same id is deleted first, with its web sessions. */
	create(key: ApiKey, limit: number): Promise<void>;
	byHash(hash: string): Promise<ApiKey | undefined>;
	list(userId: string): Promise<readonly ApiKey[]>;
	/** Deletes a key of the user with its web sessions. */
	delete(userId: string, id: string): Promise<boolean>;
	/** Records the times of last use by key id; unknown ids are ignored. */
	touch(uses: ReadonlyMap<string, string>): Promise<void>;
}

export interface WebSessionStore {
	/**
	 * Resolves to false if a session with this id existed before. The oldest sessions of the user beyond `limit` are ended at
	 * `session.createdAt`. Throws `not_found` if the user or the key does not exist.
	 */
	create(session: WebSession, limit: number): Promise<boolean>;
	/** The session, unless it was ended. It may have expired. */
	byHash(hash: string): Promise<WebSession | undefined>;
	/** Sessions of the user that were not ended. They may have expired. */
	list(userId: string): Promise<readonly WebSession[]>;
	/** Ends a session of the user; false if it does not exist or was ended before. */
	endSession(userId: string, id: string, at: string): Promise<boolean>;
	/** Records the times of last use by session id; unknown ids are ignored. */
	touch(uses: ReadonlyMap<string, string>): Promise<void>;
	/** Deletes a batch of sessions expired at `now` and resolves to them. More are left if `nextExpiry` is not later. */
	deleteExpired(now: string): Promise<readonly WebSession[]>;
	/** Time of the next expiry. */
	nextExpiry(): Promise<string | undefined>;
}

export interface RateStore {
	/**
	 * Takes one of `count` slots per sliding window of `windowMs` under a name. Resolves to 0 if a slot was free, else to the
	 * milliseconds until one is.
	 */
	take(name: string, at: string, limit: {readonly count: number; readonly windowMs: number}): Promise<number>;
}

export interface TeamStore {
	/** Throws `plan_limit` if the owner owns `limit` teams. */
	create(team: Team, limit: number, check?: CheckUsage): Promise<void>;
	get(id: string): Promise<Team | undefined>;
	/** Teams that the user owns or is a member of. */
	listOf(userId: string): Promise<readonly Team[]>;
	rename(id: string, name: string, by?: string): Promise<Team | undefined>;
	/** Deletes the team and its invites; its inboxes lose their team. */
	delete(id: string, by?: string): Promise<boolean>;
	/** Removes a member and increments the generation of the team. */
	removeMember(teamId: string, userId: string, by?: string): Promise<boolean>;
	/**
	 * Throws, in this order: `not_found` if the team does not exist, `plan_limit` if it has `limit` members and open invites,
	 * `already_member` if a member has the address, `invite_open` if an open invite has the address. An invite is open while it
	 * is neither used nor expired (at `invite.createdAt`). Expired invites of the team are deleted.
	 */
	invite(invite: Invite, limit: number, by?: string): Promise<void>;
	/** Includes used invites. Expired ones may be deleted. */
	inviteByHash(tokenHash: string): Promise<Invite | undefined>;
	/**
	 * Adds the user to the team in the role of the invite, and marks the invite as used. Throws, in this order: `invalid_invite`
	 * if it does not exist or has expired at `member.joinedAt`, `already_member`, `invalid_invite` if it was used before.
	 */
	accept(tokenHash: string, member: Pick<Member, 'userId' | 'joinedAt'>): Promise<Team>;
}

/** Selects the inboxes of a user and of some teams. */
export type InboxScope = {readonly userId: string; readonly teamIds: readonly string[]};

/** Selects inboxes of a scope; with a `name`, only those with exactly this name. */
export type InboxFilter = InboxScope & {readonly name?: string | undefined};

export interface InboxStore {
	/**
	 * Throws `address_taken` if another inbox has the address, if it is a plus address of another user's address, or if
	 * another user has plus addresses of it.
	 */
	create(inbox: Inbox, check?: CheckUsage): Promise<void>;
	get(id: string): Promise<Inbox | undefined>;
	/** The inbox with a canonical address: an exact one, `*@domain` or `*`. */
	byAddress(canonical: string): Promise<Inbox | undefined>;
	/** Inboxes that the filter selects, the newest first, without those expired at `now`. */
	list(filter: InboxFilter, page: Page, now: string): Promise<Rows<Inbox>>;
	/** Changes an inbox. Messages that it no longer keeps are evicted, now or by a later `messages.evict`. */
	update(id: string, patch: InboxPatch, by?: string): Promise<Inbox | undefined>;
	/** Increments the generation of the inbox. */
	rotate(id: string, by?: string): Promise<Inbox | undefined>;
	/** Deletes the inbox and its messages. */
	delete(id: string, by?: string): Promise<boolean>;
	/**
	 * Deletes a batch of inboxes expired at `now`, with their messages, and resolves to them. More are left if `nextExpiry` is
	 * not later.
	 */
	deleteExpired(now: string): Promise<readonly Inbox[]>;
	/** Time of the next expiry. */
	nextExpiry(): Promise<string | undefined>;
}

/** Bytes of a received mail that is not stored yet. Ends with `messages.add` or with `sources.discard`. */
export type StagedSource = {
	readonly id: string;
	/** Total number of bytes. */
	readonly size: number;
	/** The first bytes: all bytes of a small mail, at least 64 KiB of a large one. */
	readonly head: Buffer;
};

/** Byte positions of a source, from 0. Both are inclusive, as in RFC 9110, section 14.1.2. */
export type ByteRange = {readonly start: number; readonly end: number};

export interface SourceStore {
	/** Receives a mail unchanged. A large one is streamed to disk. `id` must not be in use. */
	stage(bytes: Readable, id?: string): Promise<StagedSource>;
	/** Reads a staged mail. */
	readStaged(source: StagedSource): Promise<Readable>;
	discard(source: StagedSource): Promise<void>;
	/** Reads a stored source or a range of it; undefined if its last message was deleted. */
	read(id: string, range?: ByteRange): Promise<Readable | undefined>;
}

/** Everything that is stored with a mail, or with the mails of one request. */
export type MailCommit = {
	readonly source: StagedSource;
	readonly messages: readonly Message[];
	readonly deliveries: readonly Delivery[];
	readonly bounces?: readonly PendingBounce[];
	/** Quota check within the commit; see `CheckUsage`. */
	readonly check?: CheckUsage;
	/** Published to the feed once the commit is durable. */
	readonly events?: readonly FeedItem[];
	/** Answer to the request that brought the mails. */
	readonly receipt?: Receipt;
};

/** Conditions on the arrival of a message: newer or older than a message id, or not before a time. */
export type MessageRange = Pick<SummaryFilter, 'after' | 'before' | 'since'>;

export interface MessageStore {
	/**
	 * Stores everything in one commit, then publishes `events`. A message whose inbox was deleted is dropped, with its deliveries
	 * and bounces. Throws `AlreadyAnswered` if an unexpired receipt with the same id exists, also if another process stores it
	 * concurrently. If an inbox keeps a limited number of messages, the commit evicts up to some hundred of the oldest; `evict`
	 * takes the rest. Discards the source if the commit fails.
	 */
	add(mail: MailCommit): Promise<void>;
	get(id: string): Promise<Message | undefined>;
	list(inboxId: string, range: MessageRange, page: Page): Promise<readonly Message[]>;
	/** The newest messages of all inboxes in the scope that are not expired at `now`, by descending id (the order of arrival). */
	listAll(scope: InboxScope, now: string, range: MessageRange, limit: number): Promise<readonly Message[]>;
	/**
	 * All matching messages, in small batches, without those up to the position `seen` (from `newest`). Blocks nobody and takes
	 * little memory. The caller may stop early.
	 */
	walk(inboxId: string, filter: SummaryFilter, seen?: number): AsyncIterable<readonly Message[]>;
	/** Position after the newest message of the inbox. Valid until the store closes. */
	newest(inboxId: string): Promise<number>;
	count(inboxId: string): Promise<number>;
	/** Number of messages of the inbox evicted since its creation. */
	evicted(inboxId: string): Promise<number>;
	delete(id: string): Promise<boolean>;
	/** Deletes all present messages of the inbox, or those that are not newer than the message `upTo`, in small steps. */
	deleteAll(inboxId: string, upTo?: string, by?: string): Promise<void>;
	/** Earliest time at which there may be messages to evict (ISO 8601). */
	nextEviction(): Promise<string | undefined>;
	/**
	 * Evicts a batch of the messages that their inboxes do not keep at `now`, the oldest of each first, and resolves to the
	 * events. More are left if `nextEviction` is not later.
	 */
	evict(now: string): Promise<readonly FeedItem[]>;
}

export interface EndpointStore {
	create(endpoint: Endpoint, check?: CheckUsage): Promise<void>;
	get(id: string): Promise<Endpoint | undefined>;
	listOf(userId: string): Promise<readonly Endpoint[]>;
	/** Active endpoints of these users with a subscription to the event. */
	subscribed(userIds: readonly string[], event: WebhookEvent): Promise<readonly Endpoint[]>;
	update(id: string, patch: EndpointPatch, by?: string): Promise<Endpoint | undefined>;
	/** Deletes the endpoint with its deliveries. */
	delete(id: string, by?: string): Promise<boolean>;
}

export type DeliveryFilter = {
	readonly status?: DeliveryStatus | undefined;
	readonly event?: WebhookEvent | undefined;
	readonly messageId?: string | undefined;
};

/** Retention limits of the finished deliveries of an endpoint. */
export type DeliveryLogLimits = {
	/** Number of deliveries kept. */
	readonly keep: number;
	/** Earliest creation time kept. */
	readonly since: string;
	/** Total characters of responses kept. */
	readonly responseLength: number;
};

/** Number of additional deliveries that a process can send: in total, for a user, and to an endpoint. */
export type DeliveryBudget = {readonly all: number; ofUser(id: string): number; ofEndpoint(id: string): number};

/** A delivery that is due, and its endpoint. */
export type Due = {readonly delivery: Delivery; readonly endpoint: Endpoint};

/** Webhook deliveries. A lease ends with `finish` or `release`, or after a timeout; until then no other process gets the delivery. */
export interface DeliveryStore {
	/** Adds or replaces deliveries in one commit. Skips deliveries of deleted endpoints. The body of a delivery never changes. */
	put(deliveries: readonly Delivery[], by?: string): Promise<void>;
	get(id: string): Promise<Delivery | undefined>;
	list(endpointId: string, filter: DeliveryFilter, page: Page): Promise<Rows<Delivery>>;
	/**
	 * Leases due deliveries of active endpoints within the budget, at most `maxPerEndpoint` per endpoint at a time. Users take
	 * turns, so that a long queue of one does not delay another: first the longest due delivery of each user, then the next.
	 */
	lease(now: string, budget: DeliveryBudget): Promise<readonly Due[]>;
	/**
	 * Leases one delivery in any state, also if its endpoint is inactive or this process has leased it already. Resolves to
	 * `busy` if it cannot be leased now.
	 */
	leaseOne(id: string, by?: string): Promise<Due | 'busy' | undefined>;
	/** Leases test deliveries whose only attempt was interrupted by the end of a process. */
	leaseInterrupted(): Promise<readonly Delivery[]>;
	/** Stores the outcome of a leased delivery and ends the lease. False, without a change, if the lease or the delivery is gone. */
	finish(delivery: Delivery): Promise<boolean>;
	/** Ends a lease without a change. */
	release(id: string): Promise<void>;
	/** Earliest time after `after` at which a delivery becomes due. Includes deliveries of inactive endpoints. */
	nextDue(after: string): Promise<string | undefined>;
	/** Deletes finished deliveries of an endpoint and drops responses as the limits require. */
	prune(endpointId: string, limits: DeliveryLogLimits): Promise<void>;
	/** Deletes the first finished deliveries of a user until the total weight is at most `keep`. */
	trim(userId: string, keep: number): Promise<void>;
}

/** Maximum number of bounces in total and per owner. */
type BounceLimits = {readonly all: number; readonly ofOne: number};

/** Bounces to send. They are stored with their message (`messages.add`) and deleted with it. */
export interface BounceStore {
	/** Leases bounces due at `now`, the longest due first. A lease ends like the lease of a delivery. */
	lease(now: string, limits: BounceLimits): Promise<readonly PendingBounce[]>;
	/** Deletes a leased bounce. False if the lease or the bounce is gone. */
	finish(id: string): Promise<boolean>;
	/** Ends a lease; the bounce is sent later. */
	release(id: string): Promise<void>;
	/** Earliest time after `after` at which a bounce becomes due. */
	nextDue(after: string): Promise<string | undefined>;
}

/** Computes the next count of a fault, and a result for the caller. */
export type CountStep<T> = (count: FaultCount) => {readonly count: FaultCount; readonly result: T};

/**
 * Faults of inboxes and of the daemon (`inboxId` null). Counts and hits are written asynchronously: a crash or a full disk may
 * lose the last ones. Reads wait for pending writes of this process. `mayAct` and `of` see changes of other processes after
 * at most a second.
 */
export interface FaultStore {
	/** Throws `not_found` if the inbox does not exist, and `too_many_faults` if it has `limit` faults. */
	create(fault: Fault, limit: number, by?: string): Promise<void>;
	get(id: string): Promise<CountedFault | undefined>;
	/** Oldest first. */
	list(inboxId: string | null): Promise<readonly CountedFault[]>;
	/** Deletes the fault with its counts; its hits stay with the inbox. */
	delete(id: string, by?: string): Promise<boolean>;
	/** Resolves to the number of deleted faults. */
	deleteAll(inboxId: string | null, by?: string): Promise<number>;
	/** Deletes the faults expired at `now` and resolves to them. */
	deleteExpired(now: string): Promise<readonly Fault[]>;
	/** Time of the next expiry. */
	nextExpiry(): Promise<string | undefined>;
	/** True if there may be a fault for the stage. Synchronous, since each SMTP command asks. */
	mayAct(stage: FaultStage): boolean;
	/** All faults, oldest first. Synchronous. Returns the same array until a fault changes. */
	of(inboxId: string | null): readonly Fault[];
	/**
	 * Replaces the count under a key (null if the fault has a single count); steps do not overlap. Resolves to undefined if the
	 * fault does not exist.
	 */
	count<T>(id: string, key: string | null, step: CountStep<T>): Promise<T | undefined>;
	/** Resolves when the hit is durable; false if its inbox does not exist. */
	addHit(hit: FaultHit): Promise<boolean>;
	hit(id: string): Promise<FaultHit | undefined>;
	/** Hits of a fault, which may be deleted, or of an inbox; newest first. */
	hits(of: {readonly faultId: string} | {readonly inboxId: string | null}, page: Page): Promise<Rows<FaultHit>>;
}

/** Thrown when a receipt with the same id exists; nothing was stored. */
export class AlreadyAnswered extends Error {
	readonly receipt: Receipt;

	constructor(receipt: Receipt) {
		super('The request was already answered.');
		this.name = 'AlreadyAnswered';
		this.receipt = receipt;
	}
}

/**
 * Idempotency records of the sending APIs. If all together exceed the budget of the store in bytes, the holders with the most bytes
 * lose their oldest ones before they expire.
 */
export interface ReceiptStore {
	/** The receipt, which may have expired. */
	get(id: string): Promise<Receipt | undefined>;
	/** Stores the receipt of a request without mail; `messages.add` stores the others. Throws `AlreadyAnswered`. */
	add(receipt: Receipt): Promise<void>;
	/** Deletes a batch of receipts that expired at `now` or exceed the budget. More are left if `nextExpiry` is not later. */
	deleteExpired(now: string): Promise<void>;
	/** Time of the next expiry; `''` if the budget is exceeded. */
	nextExpiry(): Promise<string | undefined>;
}

export interface TemplateStore {
	/**
	 * Adds or replaces a template. Throws `not_found` if the user does not exist, `plan_limit` if the user has `limit` others, and
	 * `limit_reached` beyond `maxTemplateBytes`.
	 */
	put(template: Template, limit: number): Promise<void>;
	get(userId: string, provider: string, id: string): Promise<Template | undefined>;
	/** Sorted by provider and id. */
	list(userId: string): Promise<readonly Template[]>;
	delete(userId: string, provider: string, id: string): Promise<boolean>;
}

/** Events after a cursor, oldest first. */
export type EventReading = {
	readonly items: readonly FeedItem[];
	/** The cursor after the first `count` items; for all items, the cursor after everything that was read. */
	cursorAfter(count: number): string;
};

/** Receives wake-ups for new events. */
export interface EventListener {
	/** Called for new events with these topics (`topicsOf`), or with unknown topics (undefined). */
	wake(topics: Iterable<string> | undefined): void;
	/** Number of waiters for a topic. */
	waiting(topic: string): number;
	/** Number of topics with waiters. */
	readonly size: number;
}

/**
 * The most recent changes, in one order for all processes of the store. A cursor is an opaque text, a position in that order.
 * Events are kept for a limited time and may be lost in a crash of the machine.
 */
export interface EventStore {
	/** Adds events of durable changes, after all previous events of this process. Never fails: if necessary, it retries later. */
	append(items: readonly FeedItem[]): Promise<void>;
	/** The cursor after all readable events. */
	end(): Promise<string>;
	/** True if `read` may find events after the cursor. After it returned false, the listener is called for new ones. */
	hasNews(cursor: string): boolean;
	/** The next events after the cursor; undefined if they are no longer kept or the cursor is of another store. */
	read(cursor: string, maxItems: number): Promise<EventReading | undefined>;
	/** True if all events after the cursor are kept, and none changed what the user may see. */
	isSameScope(userId: string, cursor: string): Promise<boolean>;
	/** Sets the one listener, which is called for new events of all processes. */
	listen(listener: EventListener): void;
}

/** The nodes that share the store. A lost node is removed after an hour. */
export interface NodeStore {
	/** Records that a node is up. */
	beat(report: NodeReport): Promise<void>;
	/** Removes a node that is stopping. */
	leave(id: string): Promise<void>;
	/** In the order in which they joined. */
	list(): Promise<readonly Node[]>;
}

/**
 * Amounts that quotas limit. A message counts for the owner of its inbox, by weight and by bytes; an unfinished delivery counts
 * for the owner of its endpoint, by weight.
 */
export type Usage = Readonly<Record<'inboxes' | 'endpoints' | 'teams' | 'messages' | 'bytes' | 'deliveries', number>>;

/**
 * Checks the usage of a user, and of all users (possibly a second old), as it is after the commit; throws to reject the commit.
 * Called only by a store that several processes write to; with a single process, the caller checks before.
 */
export type CheckUsage = (userId: string, usage: Usage, totalUsage: Usage) => void;
