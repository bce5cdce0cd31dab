import type {Invite, Team} from '../../../domain/accounts/team.js';
import type {User} from '../../../domain/accounts/user.js';
import {canonicalAddress} from '../../../domain/mail/address.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import {type Message, weightOf} from '../../../domain/mail/message.js';
import {type Endpoint, isUnfinished, weightOfBody} from '../../../domain/webhooks/delivery.js';
import {BounceIndexes, createBounceTable, dropBounces} from './bounce-table.js';
import {ByAge} from './by-age.js';
import type {
	Change,
	DeliveryRow,
	LinePlace,
	Patch,
	Put,
	Rate,
	SharedBody,
	Source,
	TableName,
	TableRows,
} from './change.js';
import {Claims} from './claims.js';
import {dissolve, removeAllIn, removeAllOf, removeEach} from './dependents.js';
import {evictOldest} from './evict-oldest.js';
import {Expiries} from './expiries.js';
import {FaultIndexes} from './fault-indexes.js';
import {createFaultTables} from './fault-tables.js';
import {Groups, Sums, Unique} from './indexes.js';
import {createKeyTables, KeyIndexes} from './key-tables.js';
import {Queues} from './queues.js';
import {createSendingTables, SendingIndexes} from './sending-tables.js';
import {createSlim} from './slim.js';
import {type Begun, type Evicted, finish, inTurn, type Steps} from './steps.js';
import {Table} from './table.js';

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

	readonly #slim = createSlim();
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
