import {Readable} from 'node:stream';
import fc from 'fast-check';
import {type DumpRows, type DumpTable, dumpTables} from '../../../src/store/dump.js';
import type {Store} from '../../../src/store/port.js';
import {templateRow} from '../../../src/store/rules/sending.js';
import {
	at,
	noon,
	readSource,
	someDelivery,
	someEndpoint,
	someFault,
	someHit,
	someInbox,
	someInvite,
	someKey,
	someMessage,
	someReceipt,
	someSummary,
	someTeam,
	someTemplate,
	someUser,
	someWebSession,
} from './rows.js';

/** All rows of a store, with the bytes of its mail. */
export type Content = {readonly [T in DumpTable]: ReadonlyArray<DumpRows[T]>} & {
	readonly bytes: ReadonlyMap<string, Buffer>;
};

/** Texts that a database may reject or change. */
const text = fc.oneof(
	fc.string({maxLength: 12}),
	fc.constantFrom('', '\0', 'a\0b', '\ud800', 'x\udfff', '\\u0000', "'; drop table users; --", 'é', '\u{1f4ec}'),
);

const index = fc.nat(1000);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, {freq: 3});

/** Limits above the content of these stores. */
const retention = fc.constantFrom(
	{},
	{keep: null, keepForMs: 0},
	{keep: 0, keepForMs: null, evicted: 1},
	{keep: 1000, keepForMs: 1e13, evicted: 70_000},
);

/** A randomly generated row. `of` selects the row that it belongs to. */
const drawn = fc.record({
	users: fc.array(fc.record({name: text}), {minLength: 1, maxLength: 3}),
	keys: fc.array(fc.record({of: index, name: text}), {maxLength: 3}),
	sessions: fc.array(fc.record({of: index, key: maybe(index), isEnded: fc.boolean()}), {maxLength: 3}),
	teams: fc.array(fc.record({of: index, name: text, members: fc.array(index, {maxLength: 2})}), {maxLength: 2}),
	invites: fc.array(fc.record({of: index, isAccepted: fc.boolean()}), {maxLength: 2}),
	inboxes: fc.array(fc.record({of: index, team: maybe(index), name: maybe(text), ttl: maybe(index), retention}), {
		minLength: 1,
		maxLength: 5,
	}),
	mails: fc.array(
		fc.record({
			to: fc.uniqueArray(index, {minLength: 1, maxLength: 3, selector: number => number % 5}),
			bytes: fc.uint8Array({maxLength: 40}),
			isPart: fc.boolean(),
			times: fc.constantFrom(1, 1, 1, 4000),
			subject: text,
			second: fc.nat(3),
			bounces: fc.boolean(),
		}),
		{maxLength: 12},
	),
	endpoints: fc.array(fc.record({of: index, isActive: fc.boolean()}), {maxLength: 3}),
	deliveries: fc.array(
		fc.record({of: index, body: text, response: maybe(text), status: fc.constantFrom('pending', 'delivered', 'dead')}),
		{maxLength: 8},
	),
	faults: fc.array(
		fc.record({of: maybe(index), counts: fc.uniqueArray(fc.constantFrom('', 'a@b', 'c d'), {maxLength: 3})}),
		{maxLength: 3},
	),
	hits: fc.array(fc.record({of: maybe(index), fault: maybe(index)}), {maxLength: 4}),
	receipts: fc.array(text, {maxLength: 3}),
	templates: fc.uniqueArray(fc.record({of: index, id: text}), {maxLength: 3, selector: ({id}) => id}),
});

const pick = <T>(rows: readonly T[], number: number): T => rows[number % rows.length] as T;

/** Generates the content of a small store. */
export const anyContent: fc.Arbitrary<Content> = drawn.map(plan => {
	const users = plan.users.map(fields => someUser(fields));
	const idOf = (number: number) => pick(users, number).id;
	const teams = plan.teams.map(({of, name, members}) => {
		const team = someTeam(idOf(of), {name});
		const others = [...new Set(members.map(idOf))].filter(id => id !== team.ownerId);
		return {
			...team,
			members: [...team.members, ...others.map(userId => ({userId, role: 'member', joinedAt: noon}) as const)],
		};
	});
	const keys = plan.keys.map(({of, name}) => someKey(idOf(of), {name}));
	const inboxes = plan.inboxes.map(({of, team, name, ttl, retention}, number) => ({
		...someInbox({
			ownerId: idOf(of),
			teamId: team === null || teams.length === 0 ? null : pick(teams, team).id,
			address: `box${number}@tinbox.test`,
			name,
			expiresAt: ttl === null ? null : at(ttl),
		}),
		...retention,
	}));
	const bytes = new Map<string, Buffer>();
	const messages = plan.mails.flatMap((mail, number) => {
		const source = {
			id: crypto.randomUUID(),
			size: mail.bytes.length * mail.times,
			head: Buffer.alloc(0),
		};
		bytes.set(source.id, Buffer.concat(Array.from({length: mail.times}, () => mail.bytes)));
		const to = new Set(mail.to.map(of => pick(inboxes, of).id));
		const size = Math.floor(source.size / 2);
		const fields = {
			receivedAt: at(number - mail.second),
			summary: someSummary({subject: mail.subject}),
			...(mail.isPart && {size, part: {start: source.size - size, end: source.size, requestAt: source.size}}),
		};
		return [...to].map(id => someMessage(id, source, fields));
	});
	const endpoints = plan.endpoints.map(({of, isActive}) => someEndpoint({userId: idOf(of), isActive}));
	const faults = plan.faults.map(({of}) => someFault({inboxId: of === null ? null : pick(inboxes, of).id}));
	return {
		users,
		keys,
		webSessions: plan.sessions.map(({of, key, isEnded}) => {
			const parent = key === null || keys.length === 0 ? null : pick(keys, key);
			return someWebSession(parent?.userId ?? idOf(of), {keyId: parent?.id ?? null, isEnded});
		}),
		teams,
		invites: plan.invites.flatMap(({of, isAccepted}) =>
			teams.length === 0 ? [] : [someInvite(pick(teams, of).id, {acceptedAt: isAccepted ? noon : null})],
		),
		inboxes,
		messages,
		bounces: messages
			.filter((_, number) => pick(plan.mails, number).bounces)
			.map(({id, inboxId}) => ({
				id: `bounce of ${id}`,
				messageId: id,
				ownerId: inboxes.find(inbox => inbox.id === inboxId)?.ownerId ?? '',
				kind: 'bounce' as const,
				status: '5.1.1',
				recipients: ['you@box.test'],
				dueAt: noon,
			})),
		endpoints,
		deliveries: plan.deliveries.flatMap(({of, body, response, status}, number) =>
			endpoints.length === 0
				? []
				: [
						someDelivery(pick(endpoints, of).id, {
							body,
							status: status as 'pending',
							responseBody: response,
							nextAttemptAt: status === 'pending' ? noon : null,
							lastAttemptAt: status === 'pending' ? null : at(number),
							createdAt: at(number),
							messageId: messages.length === 0 ? null : pick(messages, of).id,
						}),
					],
		),
		faults,
		faultCounts: faults.flatMap(({id}, number) =>
			['', ...pick(plan.faults, number).counts].map((key, place) => ({
				id: place === 0 ? id : `${id} ${key}`,
				faultId: id,
				seen: number + place,
				acted: number,
				passedAt: [Date.parse(noon) + place],
			})),
		),
		faultHits: plan.hits.map(({of, fault}) =>
			someHit({
				inboxId: of === null ? null : pick(inboxes, of).id,
				faultId: fault === null || faults.length === 0 ? null : pick(faults, fault).id,
			}),
		),
		receipts: plan.receipts.map(body =>
			someReceipt({outcomes: [{failure: {type: 'invalid', message: '', errors: [{body}]}}]}),
		),
		templates: plan.templates.map(({of, id}) => templateRow(someTemplate(idOf(of), {id, parts: {text: id}}))),
		bytes,
	};
});

/** A user with three inboxes and `count` messages of 2 KB in them. */
export function fullContent(count: number): Content {
	const owner = someUser();
	const inboxes = Array.from({length: 3}, () => someInbox({ownerId: owner.id}));
	const bytes = new Map<string, Buffer>();
	const messages = Array.from({length: count}, (_, number) => {
		const source = {id: crypto.randomUUID(), size: 2048, head: Buffer.alloc(0)};
		bytes.set(source.id, Buffer.from(`Subject: ${number}\r\n\r\n`.padEnd(2048, 'hello ')));
		const summary = someSummary({subject: String(number)});
		return someMessage(pick(inboxes, number).id, source, {receivedAt: at(number), summary});
	});
	const none = {keys: [], webSessions: [], teams: [], invites: [], bounces: [], endpoints: [], deliveries: []};
	const faults = {faults: [], faultCounts: [], faultHits: []};
	return {...none, ...faults, users: [owner], inboxes, messages, receipts: [], templates: [], bytes};
}

/** Fills an empty store in batches of rows. */
export async function fill({dump}: Store, content: Content): Promise<void> {
	const readSource = async (id: string) => {
		const bytes = content.bytes.get(id);
		return bytes && Readable.from([bytes], {objectMode: false});
	};
	for (const table of dumpTables) {
		for (let first = 0; first < content[table].length; first += 100) {
			await dump.load(table, content[table].slice(first, first + 100), readSource);
		}
	}
}

/** Reads the content of a store in the form that `fill` takes. */
export async function contentOf(store: Store): Promise<Content> {
	const tables = await Promise.all(
		dumpTables.map(async table => {
			const rows: Array<DumpRows[DumpTable]> = [];
			for await (const some of store.dump.read(table, 0)) {
				rows.push(...some);
			}

			return [table, rows] as const;
		}),
	);
	const content = Object.fromEntries(tables) as unknown as Omit<Content, 'bytes'>;
	const bytes = new Map<string, Buffer>();
	for (const {sourceId} of content.messages) {
		bytes.set(sourceId, (await readSource(store, sourceId)) ?? Buffer.from('lost'));
	}

	return {...content, bytes};
}

/** Sorts content in an order that is equal in all stores: messages by inbox, unordered tables by id. */
export function inOrder(content: Content): Content {
	const byId = <Row extends {readonly id: string}>(rows: readonly Row[]) =>
		rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
	return {
		...content,
		messages: content.messages.toSorted((a, b) => (a.inboxId < b.inboxId ? -1 : a.inboxId > b.inboxId ? 1 : 0)),
		bounces: byId(content.bounces),
		deliveries: byId(content.deliveries),
		receipts: byId(content.receipts),
		templates: byId(content.templates),
		faultCounts: byId(content.faultCounts),
		bytes: new Map([...content.bytes].sort(([a], [b]) => (a < b ? -1 : 1))),
	};
}
