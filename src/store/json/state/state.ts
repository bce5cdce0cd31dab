import {type Invite, type Team, withoutMember} from '../../../domain/accounts/team.js';
import type {User} from '../../../domain/accounts/user.js';
import {canonicalAddress} from '../../../domain/mail/address.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import {type Mailbox, type Message, type Session, weightOf} from '../../../domain/mail/message.js';
import {type Endpoint, isUnfinished, weightOfBody} from '../../../domain/webhooks/delivery.js';
import type {StoredInbox} from '../../dump.js';
import type {Usage} from '../../port.js';
import type {
	Change,
	DeliveryRow,
	Evict,
	LinePosition,
	Patch,
	Put,
	StoredSource,
	TableName,
	TableRows,
} from './change.js';
import {GroupedIds, GroupedTimeIndex, SumIndex, UniqueIndex} from './indexes.js';
import {
	AddressIndex,
	BounceIndexes,
	creationTime,
	DeliveryQueues,
	FaultIndexes,
	InboxExpiries,
	InboxNames,
	KeyIndexes,
	SendingIndexes,
} from './noun-indexes.js';
import {concat, type EvictedMessages, runAll, type StartedChange, type Steps, Table} from './table.js';

/**
 * All rows in memory, with the indexes for reads. Modified only by `apply`, `startChange` and `restore`: equal changes in the same order lead to equal
 * states, in the daemon, at start and during the creation of a snapshot.
 */
export class State {
	readonly userOfEmail = new UniqueIndex<User>(user => canonicalAddress(user.email));
	readonly inviteOfHash = new UniqueIndex<Invite>(invite => invite.tokenHash);
	readonly addresses = new AddressIndex();
	readonly keys = new KeyIndexes();
	readonly teamsOfMember = new GroupedIds<Team>(team => team.members.map(member => member.userId));
	readonly teamsOfOwner = new SumIndex<Team, string>(({ownerId}) => [ownerId, 1]);
	readonly invitesOfTeam = new GroupedIds<Invite>(invite => [invite.teamId]);
	readonly inboxesOfOwner = new GroupedTimeIndex<Inbox>(inbox => inbox.ownerId, creationTime);
	readonly inboxesOfTeam = new GroupedTimeIndex<Inbox>(inbox => inbox.teamId, creationTime);
	readonly inboxesOfName = new InboxNames();
	/** Number of inboxes of a user in a team. Key: user id, space, team id. */
	readonly inboxesOfMember = new SumIndex<Inbox, string>(({ownerId, teamId}) =>
		teamId === null ? null : [`${ownerId} ${teamId}`, 1],
	);
	readonly expiries = new InboxExpiries();
	readonly messagesOfInbox = new GroupedIds<Message>(
		({inboxId}) => [inboxId],
		({receivedAt}) => receivedAt,
	);
	readonly messagesOfSource = new SumIndex<Message, string>(message => [message.sourceId, 1]);
	/** Total weight by owner of the inbox. Rows with only their index fields (see snapshot.ts) count as 1. */
	readonly messagesOfOwner = new SumIndex<Message, string>(message => [
		this.#ownerOf(message),
		'summary' in message ? weightOf(message) : 1,
	]);
	readonly bytesOfOwner = new SumIndex<Message, string>(message => [this.#ownerOf(message), message.size]);
	readonly bounces = new BounceIndexes();
	readonly endpointsOfUser = new GroupedIds<Endpoint>(endpoint => [endpoint.userId]);
	readonly deliveriesOfEndpoint = new GroupedIds<DeliveryRow>(delivery => [delivery.endpointId]);
	readonly deliveriesOfBody = new SumIndex<DeliveryRow, string>(({bodyId}) =>
		bodyId === undefined ? null : [bodyId, 1],
	);
	/** Total weight by user. */
	readonly unfinishedOfUser = new SumIndex<DeliveryRow, string>(row =>
		isUnfinished(row) ? this.#weightOfUser(row) : null,
	);
	/** Total weight by user. */
	readonly finishedOfUser = new SumIndex<DeliveryRow, string>(row =>
		isUnfinished(row) ? null : this.#weightOfUser(row),
	);
	/** Finished deliveries by user, in the order in which they were finished. */
	readonly logOfUser = new GroupedIds<DeliveryRow>(row => (isUnfinished(row) ? [] : [this.#recipientOf(row)]));
	readonly queues = new DeliveryQueues();
	readonly faults = new FaultIndexes(
		id => this.tables.faults.getRetained(id)?.inboxId ?? null,
		id => this.tables.inboxes.getRetained(id)?.ownerId ?? '',
	);
	readonly sending = new SendingIndexes();
	/** Bytes of live sources by journal segment. */
	readonly bytesOfSegment = new SumIndex<StoredSource, number>(
		({position}) => position && [position.segment, position.length],
	);

	/** In dependency order: a row comes after the rows that it belongs to. */
	readonly tables: Tables = {
		users: new Table({indexes: [this.userOfEmail], removeDependents: ({id}) => removeUserRows(id, this)}),
		keys: new Table({
			indexes: [this.keys.ofHash, this.keys.ofUser],
			onRemoved: ({id}) => removeNow(this.tables, 'webSessions', this.keys.sessionsOfKey.newestFirst(id)),
		}),
		webSessions: new Table({
			indexes: [this.keys.sessionOfHash, this.keys.sessionsOfUser, this.keys.sessionsOfKey, this.keys.sessionsByExpiry],
		}),
		rates: new Table(),
		teams: new Table({
			indexes: [this.teamsOfMember, this.teamsOfOwner],
			isOrphan: ({ownerId}) => this.tables.users.isBeingDeleted(ownerId),
			removeDependents: ({id}) => removeTeamRows(id, this),
		}),
		invites: new Table({indexes: [this.inviteOfHash, this.invitesOfTeam]}),
		inboxes: new Table({
			indexes: [
				...this.addresses.indexes,
				this.inboxesOfOwner,
				this.inboxesOfTeam,
				this.inboxesOfMember,
				...this.inboxesOfName.indexes,
				...this.expiries.indexes,
			],
			isOrphan: ({ownerId}) => this.tables.users.isBeingDeleted(ownerId),
			removeDependents: ({id}) => removeInboxRows(id, this),
		}),
		sources: new Table({indexes: [this.bytesOfSegment], onRemoved: source => this.#markUnused(source)}),
		messages: new Table({
			indexes: [this.messagesOfInbox, this.messagesOfSource, this.messagesOfOwner, this.bytesOfOwner],
			admit: message => this.#admitMessage(message),
			onRemoved: ({id, sourceId}) => {
				this.#removeUnusedSource(sourceId);
				removeNow(this.tables, 'bounces', this.bounces.ofMessage.oldestFirst(id));
			},
		}),
		bounces: new Table({
			indexes: [this.bounces.byTime, this.bounces.ofMessage],
			admit: bounce => (this.tables.messages.has(bounce.messageId) ? bounce : undefined),
		}),
		endpoints: new Table({
			indexes: [this.endpointsOfUser, this.queues.byEndpoint],
			isOrphan: ({userId}) => this.tables.users.isBeingDeleted(userId),
			removeDependents: ({id}) => removeEach(this.tables, 'deliveries', this.deliveriesOfEndpoint.newestFirst(id)),
		}),
		bodies: new Table(),
		deliveries: new Table<DeliveryRow>({
			indexes: [
				this.deliveriesOfEndpoint,
				this.deliveriesOfBody,
				this.unfinishedOfUser,
				this.finishedOfUser,
				this.logOfUser,
				this.queues.byDelivery,
			],
			admit: delivery => (this.#hasTarget(delivery) ? delivery : undefined),
			onRemoved: ({bodyId}) => this.#removeUnusedBody(bodyId),
		}),
		faults: new Table({
			indexes: [this.faults.ofStage, this.faults.ofInbox, this.faults.expiries],
			admit: fault => (this.#hasInbox(fault) ? fault : undefined),
			removeDependents: ({id}) => removeEach(this.tables, 'faultCounts', [id, ...this.faults.countsOf.newestFirst(id)]),
		}),
		faultCounts: new Table({
			indexes: [this.faults.countsOf],
			admit: count => (this.tables.faults.has(count.faultId) ? count : undefined),
		}),
		faultHits: new Table({
			indexes: [this.faults.hitsOf],
			admit: hit => (this.#hasInbox(hit) ? hit : undefined),
		}),
		receipts: new Table({
			indexes: [this.sending.receiptsByExpiry, this.sending.receiptsOfHolder, this.sending.bytesOfReceipts],
		}),
		templates: new Table({indexes: [this.sending.templatesOfUser, this.sending.bytesOfTemplates]}),
	};

	readonly #intern = createInterner();
	/** Ids of messages dropped by the current change, since their inbox does not exist. */
	readonly #droppedMessages = new Set<string>();
	/** Ids of removed sources that have a file. */
	#unusedSources: string[] = [];

	/** Applies a change completely. `position` is the line with the bytes of its source. */
	apply(change: Change, position: LinePosition | null = null): void {
		runAll(this.startChange(change, position).rest);
	}

	/** Applies the visible part of a change. The remaining steps may run later, also after other changes. */
	startChange(change: Change, position: LinePosition | null): StartedChange {
		const started = this.#perform(change, position);
		for (const [verb, table, row] of change) {
			if (verb === 'put' && table === 'sources') {
				this.#removeUnusedSource(row.id);
			} else if (verb === 'put' && table === 'bodies') {
				this.#removeUnusedBody(row.id);
			}
		}

		return started;
	}

	/** Adds rows of a snapshot. Unlike in a change, the messages of a source may follow later. */
	restore(rows: Change): void {
		this.#perform(rows, null);
	}

	/** Usage of a user, or of all users. */
	usage(userId?: string): Usage {
		const {tables, inboxesOfOwner, endpointsOfUser} = this;
		const sumOf = <Row>(index: SumIndex<Row, string>) => (userId === undefined ? index.total : index.of(userId));
		return {
			inboxes: userId === undefined ? tables.inboxes.size : inboxesOfOwner.sizeOf(userId),
			endpoints: userId === undefined ? tables.endpoints.size : endpointsOfUser.sizeOf(userId),
			teams: sumOf(this.teamsOfOwner),
			messages: sumOf(this.messagesOfOwner),
			bytes: sumOf(this.bytesOfOwner),
			deliveries: sumOf(this.unfinishedOfUser),
		};
	}

	weightOfDelivery({body, bodyLength = 0}: DeliveryRow): number {
		return weightOfBody(body?.length ?? bodyLength);
	}

	/** Returns the ids of sources whose files can be removed, each once. */
	takeUnusedSources(): readonly string[] {
		const ids = this.#unusedSources;
		if (ids.length > 0) {
			this.#unusedSources = [];
		}

		return ids;
	}

	#perform(change: Change, position: LinePosition | null): StartedChange {
		this.#droppedMessages.clear();
		const rest: Steps[] = [];
		const evicted: EvictedMessages[] = [];
		let isEffective = false;
		for (const op of change) {
			if (op[0] === 'put') {
				isEffective = this.#put(op, position) || isEffective;
			} else if (op[0] === 'patch') {
				isEffective = this.#patch(op) || isEffective;
			} else if (op[0] === 'evict') {
				evicted.push({inboxId: op[2], messageIds: evictOldest(this, op)});
			} else {
				const steps = this.tables[op[1]].delete(op[2]);
				isEffective ||= steps !== undefined;
				rest.push(steps ?? []);
			}
		}

		return {isEffective, evicted, rest: concat(rest)};
	}

	#put<T extends TableName>([, table, row]: Put<T>, position: LinePosition | null): boolean {
		return this.tables[table].put(position && table === 'sources' ? {...row, position} : row);
	}

	#patch<T extends TableName>([, table, id, patch]: Patch<T>): boolean {
		return this.tables[table].patch(id, patch);
	}

	/** Uses the id strings of inbox and source, so that each exists once in memory. */
	#admitMessage(message: Message): Message | undefined {
		const inbox = this.tables.inboxes.get(message.inboxId);
		if (inbox === undefined) {
			this.#droppedMessages.add(message.id);
			return undefined;
		}

		const sourceId = this.tables.sources.get(message.sourceId)?.id ?? message.sourceId;
		const row = {...message, inboxId: inbox.id, sourceId};
		// During the creation of a snapshot, rows have only their index fields; see snapshot.ts.
		return 'envelope' in message ? this.#intern(row) : row;
	}

	#hasTarget({endpointId, messageId}: DeliveryRow): boolean {
		return this.tables.endpoints.has(endpointId) && (messageId === null || !this.#droppedMessages.has(messageId));
	}

	#hasInbox({inboxId}: {readonly inboxId: string | null}): boolean {
		return inboxId === null || this.tables.inboxes.has(inboxId);
	}

	#ownerOf({inboxId}: Message): string {
		return this.tables.inboxes.getRetained(inboxId)?.ownerId ?? '';
	}

	#recipientOf({endpointId}: DeliveryRow): string {
		return this.tables.endpoints.getRetained(endpointId)?.userId ?? '';
	}

	#weightOfUser(row: DeliveryRow): readonly [userId: string, weight: number] {
		return [this.#recipientOf(row), this.weightOfDelivery(row)];
	}

	#removeUnusedSource(id: string): void {
		if (this.messagesOfSource.of(id) === 0) {
			this.tables.sources.delete(id);
		}
	}

	#removeUnusedBody(id = ''): void {
		if (this.deliveriesOfBody.of(id) === 0) {
			this.tables.bodies.delete(id);
		}
	}

	#markUnused({id, position}: StoredSource): void {
		if (position === null) {
			this.#unusedSources.push(id);
		}
	}
}

type Tables = {readonly [T in TableName]: Table<TableRows[T]>};

/** Removes rows with their dependent rows, one row per step. */
function* removeEach(tables: Tables, table: TableName, ids: Iterable<string>): Steps {
	for (const id of ids) {
		const rest = tables[table].delete(id) ?? [];
		yield;
		yield* rest;
	}
}

/** Removes rows of which there are few. */
function removeNow(tables: Tables, table: TableName, ids: Iterable<string>): void {
	runAll(removeEach(tables, table, [...ids]));
}

/**
 * Removes the rows of a deleted user. The memberships in teams of others end at once, since the next change of a team stores
 * its members.
 */
function removeUserRows(userId: string, state: State): Steps {
	const {tables, keys, sending, teamsOfMember, endpointsOfUser, inboxesOfOwner} = state;
	for (const teamId of [...teamsOfMember.newestFirst(userId)]) {
		const team = tables.teams.get(teamId);
		if (team) {
			tables.teams.put({...team, ...withoutMember(team, userId)});
		}
	}

	removeNow(tables, 'keys', keys.ofUser.newestFirst(userId));
	removeNow(tables, 'webSessions', keys.sessionsOfUser.newestFirst(userId));
	removeNow(tables, 'templates', sending.templatesOfUser.newestFirst(userId));
	return concat([
		removeEach(tables, 'teams', teamsOfMember.newestFirst(userId)),
		removeEach(tables, 'endpoints', endpointsOfUser.newestFirst(userId)),
		removeEach(tables, 'inboxes', [...inboxesOfOwner.newestFirst(userId)]),
	]);
}

/** Removes the rows of a deleted inbox. */
function removeInboxRows(inboxId: string, {tables, messagesOfInbox, faults}: State): Steps {
	const faultIds = faults.ofInbox.all(inboxId).map(({id}) => id);
	return concat([
		removeEach(tables, 'faults', faultIds),
		removeEach(tables, 'messages', messagesOfInbox.newestFirst(inboxId)),
		removeEach(tables, 'faultHits', faults.hitsOf.newestFirst(inboxId)),
	]);
}

/** Removes the invites of a deleted team, and the team of its inboxes. */
function removeTeamRows(teamId: string, {tables, invitesOfTeam, inboxesOfTeam}: State): Steps {
	const inboxIds = [...inboxesOfTeam.newestFirst(teamId)];
	return concat([
		removeEach(tables, 'invites', invitesOfTeam.newestFirst(teamId)),
		removeTeamFrom(tables.inboxes, inboxIds, teamId),
	]);
}

/** Skips inboxes that were moved to another team meanwhile. */
function* removeTeamFrom(inboxes: Table<StoredInbox>, ids: readonly string[], teamId: string): Steps {
	for (const id of ids) {
		if (inboxes.get(id)?.teamId === teamId) {
			yield inboxes.patch(id, {teamId: null});
		}
	}
}

/** Removes and counts the messages of an eviction. Returns their ids, oldest first. */
function evictOldest({tables: {inboxes, messages}, messagesOfInbox}: State, [, , inboxId, bounds]: Evict): string[] {
	const inbox = inboxes.get(inboxId);
	if (inbox === undefined) {
		return [];
	}

	let lastPosition = Number.POSITIVE_INFINITY;
	let maxCount = Number.POSITIVE_INFINITY;
	if ('upTo' in bounds) {
		lastPosition = messagesOfInbox.positionOf(inboxId, bounds.upTo);
	} else {
		// The current setting of the inbox, which may have changed since the change was created.
		const keep = (inbox.keep ?? bounds.keep) || Number.POSITIVE_INFINITY;
		maxCount = Math.min(bounds.most, messagesOfInbox.sizeOf(inboxId) - keep);
	}

	const ids: string[] = [];
	for (const id of messagesOfInbox.oldestFirst(inboxId)) {
		if (ids.length >= maxCount || messagesOfInbox.positionOf(inboxId, id) > lastPosition) {
			break;
		}

		ids.push(id);
	}

	for (const id of ids) {
		messages.delete(id);
	}

	if (ids.length > 0) {
		inboxes.put({...inbox, evicted: (inbox.evicted ?? 0) + ids.length});
	}

	return ids;
}

const maxAddresses = 10_000;
const maxSessions = 1000;
const none: readonly string[] = [];

/**
 * Creates a function that rebuilds a message so that equal addresses, lists of one address, and sessions are shared between
 * messages. Saves memory, since there may be very many messages with mostly equal values.
 */
function createInterner(): (message: Message) => Message {
	const singletons = createPool<string, readonly [string]>(maxAddresses);
	const sessionsByJson = createPool<string, Session>(maxSessions);
	// Mails of one connection have the same session object, which saves the JSON.
	const sessionsByIdentity = createPool<Session, Session>(maxSessions);
	const internSession = (session: Session) =>
		sessionsByIdentity(session, () => sessionsByJson(JSON.stringify(session), () => session));
	const singleton = (address: string) => singletons(address, () => [address]);
	const intern = (address: string): string => singleton(address)[0];
	const internList = <M extends Mailbox>(list: readonly M[]): ReadonlyArray<M | string> => {
		const [first] = list;
		return list.length === 0 ? none : list.length === 1 && typeof first === 'string' ? singleton(first) : list;
	};
	return message => {
		const {session, summary} = message;
		const {from, to, dsn} = message.envelope;
		return {
			...message,
			// The session of a sending API request is unique.
			session: session && ('request' in session ? session : internSession(session)),
			to: intern(message.to),
			envelope: {from: intern(from), to: internList(to.map(intern)), ...(dsn && {dsn})},
			summary: {
				...summary,
				from: intern(summary.from),
				...(summary.fromName !== undefined && {fromName: intern(summary.fromName)}),
				to: internList(summary.to),
				cc: internList(summary.cc),
				replyTo: internList(summary.replyTo),
			},
		};
	};
}

/** Creates a pool that returns the same value for equal keys. A full pool starts over, which bounds its size. */
function createPool<Key, Value>(maxSize: number): (key: Key, create: () => Value) => Value {
	const pool = new Map<Key, Value>();
	return (key, create) => {
		const pooled = pool.get(key);
		if (pooled !== undefined) {
			return pooled;
		}

		if (pool.size === maxSize) {
			pool.clear();
		}

		const value = create();
		pool.set(key, value);
		return value;
	};
}
