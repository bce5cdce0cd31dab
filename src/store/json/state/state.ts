import {type Invite, type Team, withoutMember} from '../../../domain/accounts/team.js';
import type {ApiKey, User, WebSession} from '../../../domain/accounts/user.js';
import type {Fault, FaultHit} from '../../../domain/faults/fault.js';
import {canonicalAddress} from '../../../domain/mail/address.js';
import type {PendingBounce} from '../../../domain/mail/bounce.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import {type Message, weightOf} from '../../../domain/mail/message.js';
import {type Receipt, sizeOfReceipt} from '../../../domain/mail/sending.js';
import {type Endpoint, isUnfinished, weightOfBody} from '../../../domain/webhooks/delivery.js';
import type {FaultCountRow, StoredInbox, TemplateRow} from '../../dump.js';
import type {
	Change,
	DeliveryRow,
	Evict,
	LinePlace,
	Patch,
	Put,
	Rate,
	SharedBody,
	Source,
	TableName,
	TableRows,
} from './change.js';
import {Agenda, ByAge, Groups, Sums, Unique} from './indexes.js';
import {createInterner} from './interner.js';
import {Claims, Expiries, FaultIndexes, Queues} from './noun-indexes.js';
import {type Begun, type Evicted, finish, inTurn, type Steps, Table} from './table.js';

/** All rows in memory, with the indexes that reads need. It changes by `apply` alone, here, at start and in snapshots. */
export class State {
	readonly userOfEmail = new Unique<User>(user => canonicalAddress(user.email));
	readonly inviteOfHash = new Unique<Invite>(invite => invite.tokenHash);
	readonly claims = new Claims();
	readonly keys = new KeyIndexes();
	readonly teamsOfMember = new Groups<Team>(team => team.members.map(member => member.userId));
	readonly teamsOfOwner = new Sums<Team, string>(({ownerId}) => [ownerId, 1]);
	readonly invitesOfTeam = new Groups<Invite>(invite => [invite.teamId]);
	readonly inboxesOfOwner = new ByAge<Inbox>(inbox => inbox.ownerId);
	readonly inboxesOfTeam = new ByAge<Inbox>(inbox => inbox.teamId);
	/** How many inboxes of a user are in a team, by `user team`. */
	readonly inboxesOfMember = new Sums<Inbox, string>(({ownerId, teamId}) =>
		teamId === null ? null : [`${ownerId} ${teamId}`, 1],
	);
	readonly messagesOfInbox = new Groups<Message>(
		({inboxId}) => [inboxId],
		({receivedAt}) => receivedAt,
	);
	readonly messagesOfSource = new Sums<Message, string>(message => [message.sourceId, 1]);
	/** By the owner of their inboxes: one mail in two inboxes counts twice. Outlines and what is not complete yet count once. */
	readonly messagesOfOwner = new Sums<Message, string>(message => [
		this.#ownerOf(message),
		message.summary ? weightOf(message) : 1,
	]);
	readonly bytesOfOwner = new Sums<Message, string>(message => [this.#ownerOf(message), message.size]);
	readonly endpointsOfUser = new Groups<Endpoint>(endpoint => [endpoint.userId]);
	readonly deliveriesOfEndpoint = new Groups<DeliveryRow>(delivery => [delivery.endpointId]);
	readonly deliveriesOfBody = new Sums<DeliveryRow, string>(({bodyId}) => (bodyId === undefined ? null : [bodyId, 1]));
	/** By weight. */
	readonly unfinishedOfUser = new Sums<DeliveryRow, string>(row => (isUnfinished(row) ? this.#weighed(row) : null));
	readonly finishedOfUser = new Sums<DeliveryRow, string>(row => (isUnfinished(row) ? null : this.#weighed(row)));
	/** In the order in which they were finished. */
	readonly logOfUser = new Groups<DeliveryRow>(row => (isUnfinished(row) ? [] : [this.#receiverOf(row)]));
	readonly bounces = new BounceIndexes();
	readonly sending = new SendingIndexes();
	readonly faults = new FaultIndexes(
		id => this.tables.faults.last(id)?.inboxId ?? null,
		id => this.tables.inboxes.last(id)?.ownerId ?? '',
	);
	readonly expiries = new Expiries();
	readonly queues = new Queues();
	/** Bytes of each segment of the journal that hold sources. */
	readonly bytesOfSegment = new Sums<Source, number>(({place}) => place && [place.segment, place.length]);
	/** Sources with a file of their own that have gone: whoever removes the files takes them off. */
	readonly abandoned: string[] = [];

	/** In dependency order: rows come after those that they belong to. */
	readonly tables: {readonly [T in TableName]: Table<TableRows[T]>} = {
		users: new Table({indexes: [this.userOfEmail], removeDependents: ({id}) => removeAllOf(id, this)}),
		...createKeyTables(this),
		rates: new Table<Rate>(),
		teams: new Table({
			indexes: [this.teamsOfMember, this.teamsOfOwner],
			isOrphan: ({ownerId}) => this.tables.users.isLeaving(ownerId),
			removeDependents: ({id}) => dissolve(id, this),
		}),
		invites: new Table({indexes: [this.inviteOfHash, this.invitesOfTeam]}),
		inboxes: new Table({
			indexes: [this.claims, this.inboxesOfOwner, this.inboxesOfTeam, this.inboxesOfMember, this.expiries],
			isOrphan: ({ownerId}) => this.tables.users.isLeaving(ownerId),
			removeDependents: ({id}) => removeAllIn(id, this),
		}),
		sources: new Table({indexes: [this.bytesOfSegment], removed: source => this.#abandon(source)}),
		messages: new Table({
			indexes: [this.messagesOfInbox, this.messagesOfSource, this.messagesOfOwner, this.bytesOfOwner],
			admit: message => this.#admit(message),
			removed: message => this.#releaseAllOf(message),
		}),
		bounces: createBounceTable(this),
		endpoints: new Table({
			indexes: [this.endpointsOfUser, this.queues.byEndpoint],
			isOrphan: ({userId}) => this.tables.users.isLeaving(userId),
			removeDependents: ({id}) => removeEach(this.tables, 'deliveries', this.deliveriesOfEndpoint.newestFirst(id)),
		}),
		bodies: new Table<SharedBody>(),
		deliveries: new Table<DeliveryRow>({
			indexes: [
				this.deliveriesOfEndpoint,
				this.deliveriesOfBody,
				this.unfinishedOfUser,
				this.finishedOfUser,
				this.logOfUser,
				this.queues.byDelivery,
			],
			admit: delivery => (this.#isAddressed(delivery) ? delivery : undefined),
			removed: ({bodyId}) => this.#releaseBody(bodyId),
		}),
		...createFaultTables(this),
		...createSendingTables(this.sending),
	};

	readonly #slim = createInterner();
	/** Ids of messages that the change being applied brought too late: their inbox is gone. */
	readonly #dropped = new Set<string>();

	/**
	 * Makes the change; `place` is where the bytes of its source are. Changes made to the same state in the same order
	 * lead to the same state.
	 */
	apply(change: Change, place: LinePlace | null = null): void {
		finish(this.begin(change, place).rest);
	}

	/** Makes the change as far as anybody can see it. What is left to be removed may go later: other changes lead to the same then. */
	begin(change: Change, place: LinePlace | null): Begun {
		const begun = this.#perform(change, place);
		for (const [verb, table, row] of change) {
			if (verb === 'put' && table === 'sources') {
				this.#releaseSource(row.id);
			} else if (verb === 'put' && table === 'bodies') {
				this.#releaseBody(row.id);
			}
		}

		return begun;
	}

	/** Adds rows of a snapshot: unlike in a change, a source may come before its messages. */
	restore(rows: Change): void {
		this.#perform(rows, null);
	}

	weightOfDelivery({body, bodyLength = 0}: DeliveryRow): number {
		return weightOfBody(body?.length ?? bodyLength);
	}

	#perform(change: Change, place: LinePlace | null): Begun {
		this.#dropped.clear();
		const rest: Steps[] = [];
		const evicted: Evicted[] = [];
		let isEffective = false;
		for (const op of change) {
			if (op[0] === 'put') {
				isEffective = this.#put(op, place) || isEffective;
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

		return {isEffective, evicted, rest: inTurn(rest)};
	}

	#put<T extends TableName>([, table, row]: Put<T>, place: LinePlace | null): boolean {
		return this.tables[table].put(place && table === 'sources' ? {...row, place} : row);
	}

	#patch<T extends TableName>([, table, id, patch]: Patch<T>): boolean {
		return this.tables[table].patch(id, patch);
	}

	/** Refers to inbox and source by their own strings, so that there is one copy of each. */
	#admit(message: Message): Message | undefined {
		const inbox = this.tables.inboxes.get(message.inboxId);
		if (inbox === undefined) {
			this.#dropped.add(message.id);
			return undefined;
		}

		const sourceId = this.tables.sources.get(message.sourceId)?.id ?? message.sourceId;
		const row = {...message, inboxId: inbox.id, sourceId};
		// A snapshot is made with outlines, which have no more than their ids: see fold.ts.
		return 'envelope' in message ? this.#slim(row) : row;
	}

	#ownerOf({inboxId}: Message): string {
		return this.tables.inboxes.last(inboxId)?.ownerId ?? '';
	}

	#receiverOf({endpointId}: DeliveryRow): string {
		return this.tables.endpoints.last(endpointId)?.userId ?? '';
	}

	#weighed(row: DeliveryRow): readonly [userId: string, weight: number] {
		return [this.#receiverOf(row), this.weightOfDelivery(row)];
	}

	#isAddressed({endpointId, messageId}: DeliveryRow): boolean {
		return this.tables.endpoints.has(endpointId) && (messageId === null || !this.#dropped.has(messageId));
	}

	#releaseAllOf({id, sourceId}: Message): void {
		this.#releaseSource(sourceId);
		dropBounces(id, this);
	}

	/** A source lives as long as a message of it. */
	#releaseSource(id: string): void {
		if (this.messagesOfSource.of(id) === 0) {
			this.tables.sources.delete(id);
		}
	}

	/** A shared body lives as long as a delivery that has it. */
	#releaseBody(id = ''): void {
		if (this.deliveriesOfBody.of(id) === 0) {
			this.tables.bodies.delete(id);
		}
	}

	#abandon({id, place}: Source): void {
		if (place === null) {
			this.abandoned.push(id);
		}
	}
}

type Placed = {readonly inboxId: string | null};

/** Faults with their counts, which go with them, and hits, which go with the inbox. `state` is asked once it is whole. */
function createFaultTables(state: {
	readonly faults: FaultIndexes;
	readonly tables: {readonly [T in TableName]: Table<TableRows[T]>};
}) {
	const indexes = state.faults;
	const isPlaced = ({inboxId}: Placed) => inboxId === null || state.tables.inboxes.has(inboxId);
	return {
		faults: new Table<Fault>({
			indexes: [indexes.ofStage, indexes.ofInbox, indexes.expiries],
			admit: fault => (isPlaced(fault) ? fault : undefined),
			removeDependents: ({id}) => removeEach(state.tables, 'faultCounts', [id, ...indexes.countsOf.newestFirst(id)]),
		}),
		faultCounts: new Table<FaultCountRow>({
			indexes: [indexes.countsOf],
			admit: count => (state.tables.faults.has(count.faultId) ? count : undefined),
		}),
		faultHits: new Table<FaultHit>({
			indexes: [indexes.hitsOf],
			admit: hit => (isPlaced(hit) ? hit : undefined),
		}),
	};
}

/** What is asked of bounces. */
class BounceIndexes {
	readonly byTime = new Agenda<PendingBounce>(({dueAt}) => dueAt);
	readonly ofMessage = new Groups<PendingBounce>(({messageId}) => [messageId]);
}

type BounceState = {
	readonly bounces: BounceIndexes;
	readonly tables: {readonly [T in TableName]: Table<TableRows[T]>};
};

/** Bounces, which are kept only for messages that are there. `state` is asked once it is whole. */
function createBounceTable(state: BounceState) {
	return new Table<PendingBounce>({
		indexes: [state.bounces.byTime, state.bounces.ofMessage],
		admit: bounce => (state.tables.messages.has(bounce.messageId) ? bounce : undefined),
	});
}

/** Removes those for a message, of which there are few. */
function dropBounces(messageId: string, {bounces, tables}: BounceState): void {
	for (const id of [...bounces.ofMessage.oldestFirst(messageId)]) {
		tables.bounces.delete(id);
	}
}

/** What is asked of API keys and web sessions. */
class KeyIndexes {
	readonly ofHash = new Unique<ApiKey>(key => key.hash);
	readonly ofUser = new Groups<ApiKey>(key => [key.userId]);
	readonly sessionOfHash = new Unique<WebSession>(session => session.hash);
	readonly sessionsOfUser = new Groups<WebSession>(session => [session.userId]);
	readonly sessionsOfKey = new Groups<WebSession>(({keyId}) => (keyId === null ? [] : [keyId]));
	readonly sessionsByExpiry = new Agenda<WebSession>(({expiresAt}) => expiresAt);
}

/** API keys, with the web sessions that they made, which go with them at once. `state` is asked once it is whole. */
function createKeyTables(state: {
	readonly keys: KeyIndexes;
	readonly tables: {readonly [T in TableName]: Table<TableRows[T]>};
}) {
	const {ofHash, ofUser, sessionOfHash, sessionsOfUser, sessionsOfKey, sessionsByExpiry} = state.keys;
	return {
		keys: new Table<ApiKey>({
			indexes: [ofHash, ofUser],
			removed: key => {
				for (const id of [...sessionsOfKey.newestFirst(key.id)]) {
					state.tables.webSessions.delete(id);
				}
			},
		}),
		webSessions: new Table<WebSession>({indexes: [sessionOfHash, sessionsOfUser, sessionsOfKey, sessionsByExpiry]}),
	};
}

/** What is asked of what the sending APIs keep. */
class SendingIndexes {
	readonly receiptsByExpiry = new Agenda<Receipt>(({expiresAt}) => expiresAt);
	readonly sizeOfReceipts = new Sums<Receipt, ''>(receipt => ['', sizeOfReceipt(receipt)]);
	readonly templatesOfUser = new Groups<TemplateRow>(({userId}) => [userId]);
}

function createSendingTables({receiptsByExpiry, sizeOfReceipts, templatesOfUser}: SendingIndexes) {
	return {
		receipts: new Table<Receipt>({indexes: [receiptsByExpiry, sizeOfReceipts]}),
		templates: new Table<TemplateRow>({indexes: [templatesOfUser]}),
	};
}

type Tables = {readonly [T in TableName]: Table<TableRows[T]>};

/** What tells which rows belong to a user, a team or an inbox. */
type Belongings = {
	readonly tables: Tables;
	readonly keys: Pick<KeyIndexes, 'ofUser' | 'sessionsOfUser'>;
	readonly sending: Pick<SendingIndexes, 'templatesOfUser'>;
	readonly teamsOfMember: Groups<Team>;
	readonly invitesOfTeam: Groups<Invite>;
	readonly inboxesOfOwner: ByAge<Inbox>;
	readonly inboxesOfTeam: ByAge<Inbox>;
	readonly endpointsOfUser: Groups<Endpoint>;
	readonly messagesOfInbox: Groups<Message>;
	readonly faults: Pick<FaultIndexes, 'ofInbox' | 'hitsOf'>;
};

/** Removes these rows and what belongs to them, a row at each step. */
function* removeEach(tables: Tables, table: TableName, ids: Iterable<string>): Steps {
	for (const id of ids) {
		const rest = tables[table].delete(id) ?? [];
		yield;
		yield* rest;
	}
}

/** Takes a deleted user out of the teams of others at once: whoever joins one writes down who is in it. The rest is out of sight. */
function removeAllOf(userId: string, state: Belongings): Steps {
	const {tables, keys, sending, teamsOfMember, endpointsOfUser, inboxesOfOwner} = state;
	for (const teamId of [...teamsOfMember.newestFirst(userId)]) {
		const team = tables.teams.get(teamId);
		if (team) {
			tables.teams.put({...team, ...withoutMember(team, userId)});
		}
	}

	finish(removeEach(tables, 'keys', keys.ofUser.newestFirst(userId)));
	finish(removeEach(tables, 'webSessions', keys.sessionsOfUser.newestFirst(userId)));
	finish(removeEach(tables, 'templates', sending.templatesOfUser.newestFirst(userId)));
	return inTurn([
		removeEach(tables, 'teams', teamsOfMember.newestFirst(userId)),
		removeEach(tables, 'endpoints', endpointsOfUser.newestFirst(userId)),
		removeEach(tables, 'inboxes', [...inboxesOfOwner.newestFirst(userId)]),
	]);
}

/** Removes what a deleted inbox has; its faults first, which are few and act no more. */
function removeAllIn(inboxId: string, {tables, messagesOfInbox, faults}: Belongings): Steps {
	return inTurn([
		removeEach(
			tables,
			'faults',
			faults.ofInbox.all(inboxId).map(({id}) => id),
		),
		removeEach(tables, 'messages', messagesOfInbox.newestFirst(inboxId)),
		removeEach(tables, 'faultHits', faults.hitsOf.newestFirst(inboxId)),
	]);
}

/** Removes the invites of a deleted team, and unlinks its inboxes. */
function dissolve(teamId: string, {tables, invitesOfTeam, inboxesOfTeam}: Belongings): Steps {
	const unlinked = unlink(tables.inboxes, [...inboxesOfTeam.newestFirst(teamId)], teamId);
	return inTurn([removeEach(tables, 'invites', invitesOfTeam.newestFirst(teamId)), unlinked]);
}

/** Passes over those that were moved to another team meanwhile. */
function* unlink(inboxes: Table<Inbox>, ids: readonly string[], teamId: string): Steps {
	for (const id of ids) {
		if (inboxes.get(id)?.teamId === teamId) {
			yield inboxes.patch(id, {teamId: null});
		}
	}
}

type Mail = {
	readonly tables: {readonly inboxes: Table<StoredInbox>; readonly messages: Table<Message>};
	readonly messagesOfInbox: Groups<Message>;
};

/** Removes what the change says, and counts it; the ids of what was removed, the oldest first. */
function evictOldest({tables: {inboxes, messages}, messagesOfInbox}: Mail, [, , inboxId, bounds]: Evict): string[] {
	const inbox = inboxes.get(inboxId);
	if (inbox === undefined) {
		return [];
	}

	let last = Number.POSITIVE_INFINITY;
	let most = Number.POSITIVE_INFINITY;
	if ('upTo' in bounds) {
		last = messagesOfInbox.placeOf(inboxId, bounds.upTo);
	} else {
		// As the inbox says it by now: it may have been changed since the mail came in.
		const keep = (inbox.keep ?? bounds.keep) || Number.POSITIVE_INFINITY;
		most = Math.min(bounds.most, messagesOfInbox.sizeOf(inboxId) - keep);
	}

	const ids: string[] = [];
	for (const id of messagesOfInbox.oldestFirst(inboxId)) {
		if (ids.length >= most || messagesOfInbox.placeOf(inboxId, id) > last) {
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
