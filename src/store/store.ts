import type {Readable} from 'node:stream';
import type {Page, WebhookEvent} from '../contract/constants.js';
import type {Invite, Member, Team} from '../domain/accounts/team.js';
import type {User} from '../domain/accounts/user.js';
import type {FeedItem} from '../domain/feed.js';
import type {PendingBounce} from '../domain/mail/bounce.js';
import type {SummaryFilter} from '../domain/mail/filter.js';
import type {Inbox, InboxPatch} from '../domain/mail/inbox.js';
import type {Message} from '../domain/mail/message.js';
import type {Receipt} from '../domain/mail/sending.js';
import type {Delivery, Endpoint, EndpointPatch} from '../domain/webhooks/delivery.js';
import type {BounceStore} from './bounce-store.js';
import type {DeliveryStore} from './delivery-store.js';
import type {DumpStore} from './dump-store.js';
import type {EventStore} from './event-store.js';
import type {FaultStore} from './fault-store.js';
import type {KeyStore, RateStore} from './key-store.js';
import type {NodeStore} from './node-store.js';
import type {ReceiptStore} from './receipt-store.js';
import type {Rows} from './rows.js';
import type {SecretStore} from './secret-store.js';
import type {TemplateStore} from './template-store.js';
import type {CheckUsage, Usage} from './usage.js';
import type {WebSessionStore} from './web-session-store.js';

/**
 * Everything tinbox keeps. Four promises hold for every implementation:
 *
 * - A write that resolved is durable: it survives the crash of process and machine. One that rejected left nothing
 *   behind; with `storage_full` when there is no room (reads and deletes go on), `stopping` once `close` was called.
 *   Reads and writes reject with `unavailable` while what keeps the data is away; whether a write was made then is open.
 * - Reads show only what is durable, and each operation is atomic: two at the same moment cannot pass a limit together.
 * - Nothing outlives the user or team it belongs to: once that is deleted, even in the same moment, making something that
 *   belongs to it throws `not_found`.
 * - What is deleted is out of sight as soon as that is durable. However much belongs to it, that goes bit by bit and holds
 *   nobody up; a delete resolves once all is gone, and what a crash interrupts is gone at the next start.
 *
 * Lists are newest first. What is not there is `undefined` or `false`; only broken rules throw `AppError`.
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
	/** What there is of a user's, or in all; costs the same however much that is. */
	usage(userId?: string): Promise<Usage>;
	/** Bytes that all takes where it is kept, with what waits to be given back. It may take long, and holds nobody up. */
	size(): Promise<number>;
	/** Whether what keeps the data can be reached, as far as is known; asks nobody. */
	isAvailable(): boolean;
	/** Finishes the writes under way, refuses new ones, and lets go of the data. */
	close(): Promise<void>;
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
	 * Deletes the user with own keys, web sessions, templates, inboxes (and their mail), endpoints (and their deliveries), memberships, and
	 * owned teams with their invites. Other people's inboxes in those teams are unlinked.
	 */
	delete(id: string): Promise<boolean>;
}

export interface TeamStore {
	/** Throws `plan_limit` when the owner owns `limit` teams already. */
	create(team: Team, limit: number, check?: CheckUsage): Promise<void>;
	get(id: string): Promise<Team | undefined>;
	/** All teams that the user is a member of, owned ones included. */
	listOf(userId: string): Promise<readonly Team[]>;
	rename(id: string, name: string): Promise<Team | undefined>;
	/** Deletes the team and its invites; its inboxes are unlinked, not deleted. */
	delete(id: string): Promise<boolean>;
	/** Raises the generation of the team, as the end of a member does. */
	removeMember(teamId: string, userId: string): Promise<boolean>;
	/**
	 * Throws, in this order: `not_found` when the team is gone, `plan_limit` when members and open invites already number
	 * `limit`, `already_member` when a member has that address, `invite_open` when an open invite for it exists.
	 * Open is an invite that is neither used nor expired at `invite.createdAt`; the team's expired ones are deleted.
	 */
	invite(invite: Invite, limit: number): Promise<void>;
	/** Finds used invites, too; one that expired may be gone. */
	inviteByHash(tokenHash: string): Promise<Invite | undefined>;
	/**
	 * Makes the user a member in the invite's role and marks the invite used. Throws, in this order: `invalid_invite` when
	 * it is gone or expired at `member.joinedAt`, `already_member`, `invalid_invite` when it was used before.
	 */
	accept(tokenHash: string, member: Pick<Member, 'userId' | 'joinedAt'>): Promise<Team>;
}

/** Whose inboxes are asked for: the user's own, and those of the teams. */
export type InboxScope = {readonly userId: string; readonly teamIds: readonly string[]};

export interface InboxStore {
	/**
	 * Throws `address_taken` when the claim is another inbox's, a plus address of another user's address, or an address
	 * of which others have plus addresses.
	 */
	create(inbox: Inbox, check?: CheckUsage): Promise<void>;
	get(id: string): Promise<Inbox | undefined>;
	/** Finds the inbox with this canonical claim. */
	byClaim(claim: string): Promise<Inbox | undefined>;
	/** Without those whose time is over at `now`. */
	list(scope: InboxScope, page: Page, now: string): Promise<Rows<Inbox>>;
	/** What it is to keep no longer, it evicts, or `evict` does. */
	update(id: string, patch: InboxPatch): Promise<Inbox | undefined>;
	/** Raises the generation of the inbox by one. */
	rotate(id: string): Promise<Inbox | undefined>;
	/** Deletes the inbox and its messages. */
	delete(id: string): Promise<boolean>;
	/**
	 * Deletes some of the inboxes that are over at `now`, the first first, with their messages, and resolves to them. There
	 * are more while `nextExpiry` is no later.
	 */
	deleteExpired(now: string): Promise<readonly Inbox[]>;
	/** When the next inbox expires; undefined when none does. */
	nextExpiry(): Promise<string | undefined>;
}

/** Bytes taken in but not yet part of the store; `messages.add` makes them so, `sources.discard` drops them. */
export type StagedSource = {
	readonly id: string;
	/** Bytes in all. */
	readonly size: number;
	/** The beginning of the bytes: all of a small mail, at least 64 KiB of a large one. */
	readonly head: Buffer;
};

/** Bytes of a source, counted from 0; the last one is included, as in RFC 9110, section 14.1.2. */
export type ByteRange = {readonly start: number; readonly end: number};

export interface SourceStore {
	/**
	 * Takes in a mail byte for byte. A large one goes to disk as it comes and is never whole in memory. `id`, which no other source
	 * has, is for what comes with one.
	 */
	stage(bytes: Readable, id?: string): Promise<StagedSource>;
	/** The bytes of a mail that is not stored yet. */
	readStaged(source: StagedSource): Promise<Readable>;
	discard(source: StagedSource): Promise<void>;
	/** The bytes of a stored source, or some of them; undefined when its last message is gone. */
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

/** What is asked of the order in which messages came. */
export type MessageRange = Pick<SummaryFilter, 'after' | 'before' | 'since'>;

export interface MessageStore {
	/**
	 * Stores everything in one commit, then publishes `events`. A message whose inbox was deleted is dropped, with its deliveries
	 * and bounces. Throws `AlreadyAnswered` if an unexpired receipt with the same id exists, also if another process stores it
	 * concurrently. If an inbox keeps a limited number of messages, the commit evicts up to some hundred of the oldest; `evict`
	 * takes the rest.
	 */
	add(mail: MailCommit): Promise<void>;
	get(id: string): Promise<Message | undefined>;
	list(inboxId: string, range: MessageRange, page: Page): Promise<readonly Message[]>;
	/**
	 * The newest of all inboxes in the scope whose time is not over at `now`, in the order of their ids, which is that of the
	 * moments at which they came: so many at most.
	 */
	listAll(scope: InboxScope, now: string, range: MessageRange, limit: number): Promise<readonly Message[]>;
	/**
	 * All that match, a few at a time, but for those that came before a place that `newest` told. However many there are, it
	 * holds nobody up and takes little memory; whoever reads no further ends it.
	 */
	walk(inboxId: string, filter: SummaryFilter, seen?: number): AsyncIterable<readonly Message[]>;
	/** A place in the order in which messages come to the inbox, behind all that came. It is good until the store closes. */
	newest(inboxId: string): Promise<number>;
	count(inboxId: string): Promise<number>;
	/** How many messages of the inbox were ever evicted. */
	evicted(inboxId: string): Promise<number>;
	delete(id: string): Promise<boolean>;
	/**
	 * Deletes all that the inbox has when it is called, or none that is newer than the message with the id `upTo`: at once, or bit
	 * by bit when there are very many.
	 */
	deleteAll(inboxId: string, upTo?: string): Promise<void>;
	/** When there may be something to evict next (ISO 8601); undefined when there will be nothing. */
	nextEviction(): Promise<string | undefined>;
	/**
	 * Evicts some of the messages that their inboxes keep no longer at `now`, of each the oldest first, and resolves to what tells of
	 * them. There are more while `nextEviction` is no later.
	 */
	evict(now: string): Promise<readonly FeedItem[]>;
}

export interface EndpointStore {
	create(endpoint: Endpoint, check?: CheckUsage): Promise<void>;
	get(id: string): Promise<Endpoint | undefined>;
	listOf(userId: string): Promise<readonly Endpoint[]>;
	/** The active endpoints of these users that subscribed to the event. */
	subscribed(userIds: readonly string[], event: WebhookEvent): Promise<readonly Endpoint[]>;
	update(id: string, patch: EndpointPatch): Promise<Endpoint | undefined>;
	/** Deletes the endpoint with its deliveries. */
	delete(id: string): Promise<boolean>;
}
