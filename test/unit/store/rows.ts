import {Readable} from 'node:stream';
import {v7 as uuid} from 'uuid';
import type {Invite, Team} from '../../../src/domain/accounts/team.js';
import type {ApiKey, User, WebSession} from '../../../src/domain/accounts/user.js';
import type {Fault, FaultHit} from '../../../src/domain/faults/fault.js';
import type {PendingBounce} from '../../../src/domain/mail/bounce.js';
import type {SummaryFilter} from '../../../src/domain/mail/filter.js';
import type {Inbox} from '../../../src/domain/mail/inbox.js';
import type {Message, Summary} from '../../../src/domain/mail/message.js';
import type {Receipt, Template} from '../../../src/domain/mail/sending.js';
import type {Delivery, Endpoint} from '../../../src/domain/webhooks/delivery.js';
import type {ByteRange, DeliveryBudget, DeliveryStore, Due, StagedSource, Store} from '../../../src/store/port.js';

export const noon = '2026-05-04T12:00:00.000Z';

/** Time of `seconds` after noon. */
export function at(seconds: number): string {
	return new Date(Date.parse(noon) + seconds * 1000).toISOString();
}

export function someUser(fields: Partial<User> = {}): User {
	const id = uuid();
	return {id, name: 'Ada', email: `${id}@example.com`, plan: 'pro', createdAt: noon, ...fields};
}

/** Creates the users and teams that test rows belong to. */
export async function settle(store: Store): Promise<void> {
	for (const id of ['owner', 'ada', 'bob', 'eve']) {
		await store.users.create(someUser({id}));
	}

	for (const id of ['qa', 'dev', 'other']) {
		await store.teams.create(someTeam('owner', {id}), 3);
	}
}

export function someKey(userId: string, fields: Partial<ApiKey> = {}): ApiKey {
	const id = uuid();
	return {
		id,
		userId,
		name: 'CI',
		prefix: 'tbx_live_1234567',
		hash: `hash-${id}`,
		createdAt: noon,
		lastUsedAt: null,
		...fields,
	};
}

export function someWebSession(userId: string, fields: Partial<WebSession> = {}): WebSession {
	const id = uuid();
	return {
		id,
		userId,
		keyId: null,
		hash: `hash-${id}`,
		createdAt: noon,
		expiresAt: at(12 * 3600),
		lastUsedAt: null,
		isEnded: false,
		...fields,
	};
}

export function someReceipt(fields: Partial<Receipt> = {}): Receipt {
	return {
		id: `receipt of ${uuid()}`,
		holder: 'ada',
		digest: 'digest',
		outcomes: [{id: 'sent', messageIds: []}],
		createdAt: noon,
		expiresAt: at(24 * 3600),
		...fields,
	};
}

export function someTemplate(userId: string, fields: Partial<Template> = {}): Template {
	return {userId, provider: 'postmark', id: 'welcome', parts: {subject: 'Hello'}, createdAt: noon, ...fields};
}

export function someTeam(ownerId: string, fields: Partial<Team> = {}): Team {
	const members = [{userId: ownerId, role: 'owner', joinedAt: noon}] as const;
	return {id: uuid(), name: 'QA', ownerId, members, generation: 0, createdAt: noon, ...fields};
}

export function someInvite(teamId: string, fields: Partial<Invite> = {}): Invite {
	const id = uuid();
	const email = `${id}@example.com`;
	return {
		id,
		teamId,
		tokenHash: `hash-${id}`,
		email,
		role: 'member',
		createdAt: noon,
		expiresAt: at(60),
		acceptedAt: null,
		...fields,
	};
}

export function someInbox(fields: Partial<Inbox> = {}): Inbox {
	const id = uuid();
	return {
		id,
		ownerId: 'owner',
		teamId: null,
		address: `${id}@tinbox.test`,
		name: null,
		routing: 'login',
		generation: 0,
		createdAt: noon,
		expiresAt: null,
		...fields,
	};
}

export function someEndpoint(fields: Partial<Endpoint> = {}): Endpoint {
	const url = 'http://127.0.0.1:9/hook';
	return {
		id: uuid(),
		userId: 'owner',
		url,
		format: 'tinbox',
		events: ['message.received'],
		isActive: true,
		secret: 's',
		createdAt: noon,
		...fields,
	};
}

export function someDelivery(endpointId: string, fields: Partial<Delivery> = {}): Delivery {
	return {
		id: uuid(),
		endpointId,
		event: 'message.received',
		messageId: null,
		body: '{}',
		isTest: false,
		status: 'pending',
		attempts: 0,
		nextAttemptAt: noon,
		lastAttemptAt: null,
		responseStatus: null,
		responseBody: null,
		createdAt: noon,
		...fields,
	};
}

export function someFault(fields: Partial<Fault> = {}): Fault {
	return {
		id: uuid(),
		inboxId: null,
		name: null,
		stage: 'rcpt',
		match: null,
		reply: '451 4.7.1 Later',
		times: null,
		after: null,
		per: null,
		delayMs: null,
		byteDelayMs: null,
		drop: null,
		rate: null,
		probability: null,
		seed: null,
		ttlSeconds: null,
		expiresAt: null,
		createdAt: noon,
		...fields,
	};
}

export function someHit(fields: Partial<FaultHit> = {}): FaultHit {
	return {
		id: uuid(),
		faultId: null,
		name: null,
		inboxId: null,
		time: noon,
		stage: 'rcpt',
		client: {host: '127.0.0.1', helo: 'client'},
		user: null,
		envelope: {from: 'sender@example.com', to: ['inbox@tinbox.test']},
		reply: '451 4.7.1 Later',
		drop: null,
		delayMs: 0,
		messageId: null,
		...fields,
	};
}

export function someSummary(fields: Partial<Summary> = {}): Summary {
	return {
		from: 'ada@example.com',
		to: [],
		cc: [],
		replyTo: [],
		subject: 'Hello',
		messageId: 'm@example.com',
		...fields,
	};
}

export function someMessage(inboxId: string, source: StagedSource, fields: Partial<Message> = {}): Message {
	const to = 'inbox@tinbox.test';
	const envelope = {from: 'sender@example.com', to: [to]};
	return {
		id: uuid(),
		inboxId,
		sourceId: source.id,
		size: source.size,
		envelope,
		session: null,
		to,
		receivedAt: noon,
		summary: someSummary(),
		...fields,
	};
}

/** The due deliveries of an endpoint at a time, which are released again. */
export async function dueAmong(
	deliveries: DeliveryStore,
	now: string,
	room: Partial<DeliveryBudget> = {},
): Promise<readonly Due[]> {
	const leased = await deliveries.lease(now, {all: 9, ofUser: () => 1, ofEndpoint: () => 1, ...room});
	await Promise.all(leased.map(({delivery}) => deliveries.release(delivery.id)));
	return leased;
}

/** Stages bytes in chunks of a typical network size. */
export async function stage(store: Pick<Store, 'sources'>, bytes: Buffer): Promise<StagedSource> {
	return store.sources.stage(Readable.from(chunksOf(bytes), {objectMode: false}));
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
	for (let offset = 0; offset < bytes.length; offset += 65_536) {
		yield bytes.subarray(offset, offset + 65_536);
	}
}

/** Stores one mail with one message. */
export async function receive(
	store: Pick<Store, 'sources' | 'messages'>,
	inboxId: string,
	{bytes = Buffer.from('Subject: hi\r\n\r\nhello\r\n'), ...fields}: Partial<Message> & {bytes?: Buffer} = {},
): Promise<Message> {
	const source = await stage(store, bytes);
	const message = someMessage(inboxId, source, fields);
	await store.messages.add({source, messages: [message], deliveries: []});
	return message;
}

/** Stores a mail with a pending bounce, in a new inbox or in the given one. */
export async function bounced(
	store: Pick<Store, 'inboxes' | 'sources' | 'messages'>,
	fields: Partial<PendingBounce> = {},
	inboxId?: string,
): Promise<PendingBounce> {
	const inbox = someInbox();
	if (inboxId === undefined) {
		await store.inboxes.create(inbox);
	}

	const source = await stage(store, Buffer.from('Subject: x\r\n\r\nx\r\n'));
	const message = someMessage(inboxId ?? inbox.id, source);
	const bounce: PendingBounce = {
		id: `bounce of ${message.id}`,
		messageId: message.id,
		ownerId: inbox.ownerId,
		kind: 'bounce',
		status: '5.1.1',
		recipients: ['you@box.test'],
		dueAt: noon,
		...fields,
	};
	await store.messages.add({source, messages: [message], deliveries: [], bounces: [bounce]});
	return bounce;
}

/** Reads a stored source or a range of it; undefined if it does not exist. */
export async function readSource(
	store: Pick<Store, 'sources'>,
	id: string,
	range?: ByteRange,
): Promise<Buffer | undefined> {
	const stream = await store.sources.read(id, range);
	return stream && Buffer.concat(await stream.toArray());
}

/** All messages that match a filter, from a walk. */
export async function walked(
	store: Pick<Store, 'messages'>,
	inboxId: string,
	filter: SummaryFilter,
	seen?: number,
): Promise<Message[]> {
	const all: Message[] = [];
	for await (const rows of store.messages.walk(inboxId, filter, seen)) {
		all.push(...rows);
	}

	return all;
}
