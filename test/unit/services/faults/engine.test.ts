import {beforeEach, expect, test, vi} from 'vitest';
import {AppError} from '../../../../src/domain/errors.js';
import type {Fault} from '../../../../src/domain/faults/fault.js';
import type {Inbox} from '../../../../src/domain/mail/inbox.js';
import {createParser} from '../../../../src/mime/parser.js';
import {type FaultContext, FaultEngine} from '../../../../src/services/faults/engine.js';
import {Feed} from '../../../../src/services/live/feed.js';
import type {Store} from '../../../../src/store/port.js';
import {noopObserver} from '../../../helpers/resources.js';
import {openStore, temporaryFolder} from '../../store/json-fixture.js';
import {at, noon, settle, someFault, someInbox} from '../../store/rows.js';

let store: Store;
let inboxes: readonly [Inbox, Inbox];
let engine: FaultEngine;
let now = noon;
const lines: Array<{readonly fields: object; readonly message: string}> = [];
let parser = createParser();

beforeEach(async () => {
	now = noon;
	lines.length = 0;
	parser = createParser();
	store = await openStore(await temporaryFolder());
	await settle(store);
	inboxes = [someInbox(), someInbox()];
	await store.inboxes.create(inboxes[0]);
	await store.inboxes.create(inboxes[1]);
	const write = (fields: object, message: string) => void lines.push({fields, message});
	engine = new FaultEngine(store, {
		parser,
		feed: new Feed(store.events),
		deliveryPlanner: {
			planFaultHit: async () => [],
			store: async () => {},
		},
		inboxes: null,
		observer: noopObserver,
		now: () => new Date(now),
		log: {info: write, warn: write, error: write},
	});
	return async () => parser.stop();
});

async function add(fields: Partial<Fault> = {}): Promise<Fault> {
	const fault = someFault({inboxId: inboxes[0].id, ...fields});
	await store.faults.create(fault, 100);
	return fault;
}

async function trigger(fields: Partial<FaultContext> = {}) {
	return engine.evaluate({
		stage: 'rcpt',
		client: {host: '127.0.0.1', helo: 'app'},
		user: null,
		inboxIds: [inboxes[0].id],
		from: 'App@Example.com',
		to: ['Signup@tinbox.test'],
		...fields,
	});
}

/** Names of the faults that act on each context, in order. */
async function actingFaults(...contexts: ReadonlyArray<Partial<FaultContext>>): Promise<ReadonlyArray<string | null>> {
	const names: Array<string | null> = [];
	for (const context of contexts) {
		const effect = await trigger(context);
		names.push(effect && ((await store.faults.get(effect.faultId ?? ''))?.fault.name ?? null));
	}

	return names;
}

async function seenCounts(...faults: readonly Fault[]) {
	return Promise.all(faults.map(async ({id}) => (await store.faults.get(id))?.seen));
}

test('without a matching fault the evaluation is synchronous and has no effect', async () => {
	expect(engine.mayAct('rcpt')).toBe(false);
	expect(await trigger()).toBeNull();
	await add();
	expect(engine.mayAct('rcpt')).toBe(true);
	expect(engine.mayAct('end')).toBe(false);
	expect(await trigger({inboxIds: []})).toBeNull();
	expect(await trigger({inboxIds: [inboxes[1].id]})).toBeNull();
});

test('faults of inboxes are evaluated in order, then faults of the daemon, until one acts', async () => {
	const own = await add({inboxId: null, name: 'own'});
	const first = await add({name: 'first', times: 1});
	const second = await add({name: 'second', after: 1, times: 1});
	const other = await add({name: 'other', inboxId: inboxes[1].id, times: 1});
	const both = {inboxIds: [inboxes[0].id, inboxes[1].id]};
	expect(await actingFaults(both, both, both, both)).toEqual(['first', 'other', 'second', 'own']);
	expect(await seenCounts(first, second, other, own)).toEqual([4, 3, 2, 1]);
});

test('a fault acts only if all of its patterns match', async () => {
	await add({name: 'text', match: {from: 'APP@', to: 'signup'}});
	await add({name: 'regex', match: {from: '/^app@/i', to: '/^Other@/'}});
	await add({name: 'both', match: {from: '/^app@/', to: 'tinbox.test'}});
	await add({name: 'login', match: {user: 'ann'}});
	expect(
		await actingFaults(
			{},
			{to: ['Other@tinbox.test']},
			{from: 'app@x.test', to: ['third@tinbox.test']},
			{to: ['third@tinbox.test']},
			{to: ['third@tinbox.test'], user: 'Ann'},
			{from: ''},
		),
	).toEqual(['text', 'regex', 'both', null, 'login', null]);
});

test('a pattern that takes too long matches nothing and does not block the daemon', async () => {
	const impatientParser = createParser({searchDeadlineMs: 1});
	const impatientEngine = new FaultEngine(store, {
		parser: {
			fitMatches: async (owner, matches) =>
				impatientParser.fitMatches(owner, matches, {from: ['a'.repeat(1_000_000)], to: [], subject: [], user: []}),
		},
		feed: new Feed(store.events),
		deliveryPlanner: {planFaultHit: async () => [], store: async () => {}},
		inboxes: null,
		observer: noopObserver,
		now: () => new Date(now),
		log: {info() {}, warn() {}, error() {}},
	});
	await add({match: {from: '/(a|b){500}$/'}});
	expect(
		await impatientEngine.evaluate({
			stage: 'rcpt',
			client: {host: '127.0.0.1', helo: null},
			user: null,
			inboxIds: [inboxes[0].id],
			from: 'a',
			to: [],
		}),
	).toBeNull();
	await impatientParser.stop();
});

test('counters per recipient ignore the spelling of addresses, and counters per message use the message key', async () => {
	await add({name: 'grey', times: 1, per: 'recipient'});
	const [one, same, two] = [{to: ['One@tinbox.test']}, {to: ['"one"@TINBOX.test.']}, {to: ['two@tinbox.test']}];
	expect(await actingFaults(one, same, two, two)).toEqual(['grey', null, 'grey', null]);
	await add({name: 'mail', stage: 'end', times: 1, per: 'message'});
	const end = (key: string) => ({stage: 'end' as const, messageKey: async () => key});
	expect(
		await actingFaults(end('<1@x>'), end('<2@x>'), end('<1@x>'), end('x'.repeat(5000)), end('x'.repeat(5000))),
	).toEqual(['mail', 'mail', null, 'mail', null]);
});

test('an expired fault does not act', async () => {
	await add({name: 'short', expiresAt: at(60)});
	expect(await actingFaults({})).toEqual(['short']);
	now = at(60);
	expect(await actingFaults({})).toEqual([null]);
});

test('concurrent evaluations are counted one after the other', async () => {
	const fault = await add({after: 10, times: 30});
	const effects = await Promise.all(Array.from({length: 100}, async () => trigger()));
	expect(effects.filter(effect => effect !== null)).toHaveLength(30);
	expect(await store.faults.get(fault.id)).toMatchObject({seen: 100, acted: 30});
});

test('the effect of a fault is complete, with a default reply for rates', async () => {
	const nothing = {reply: null, delayMs: 0, byteDelayMs: 0, drop: null};
	const fault = await add({reply: '550 No', delayMs: 5, byteDelayMs: 2, drop: 'mid', times: 1});
	const rate = await add({reply: null, rate: {count: 1, seconds: 1}, after: 1, times: 1});
	const slow = await add({reply: null, byteDelayMs: 7, times: 2});
	const reply = {code: 550, enhanced: '5.0.0', text: 'No'};
	expect(await trigger()).toEqual({faultId: fault.id, reply, delayMs: 5, byteDelayMs: 2, drop: 'mid'});
	expect(await trigger()).toMatchObject({faultId: slow.id});
	const rateReply = {code: 450, enhanced: '4.7.1', text: expect.stringContaining('Rate limit exceeded')};
	expect(await trigger()).toEqual({...nothing, faultId: rate.id, reply: rateReply});
	expect(await trigger()).toEqual({...nothing, faultId: slow.id, byteDelayMs: 7});
});

test('a hit contains the reply, if there was one, and the stored message', async () => {
	const end = {stage: 'end', reply: null, times: 1} as const;
	await add({...end, drop: 'after_commit', name: 'twice'});
	await add({...end, drop: 'before'});
	await add({...end, reply: '451 4.3.0 Later', drop: 'mid'});
	await add({...end, drop: 'after_commit', inboxId: null});
	const context = {stage: 'end' as const, inboxIds: [inboxes[1].id, inboxes[0].id], messageIds: ['m1', 'm0']};
	for (let index = 0; index < 4; index++) {
		await trigger(context);
	}

	const {rows} = await store.faults.hits({inboxId: inboxes[0].id}, {page: 1, limit: 10});
	expect(rows.map(({reply, drop, messageId}) => ({reply, drop, messageId})).reverse()).toEqual([
		{reply: null, drop: 'after_commit', messageId: 'm0'},
		{reply: null, drop: 'before', messageId: null},
		{reply: '451 4.3.0 Later', drop: 'mid', messageId: null},
	]);
	expect((await store.faults.hits({inboxId: null}, {page: 1, limit: 10})).rows).toMatchObject([{messageId: 'm1'}]);
});

test('a fault acts even if a full disk loses its hit', async () => {
	await add({name: 'grey'});
	const {addHit} = store.faults;
	const full = new AppError('storage_full', 'The disk is full.');
	Object.assign(store.faults, {addHit: async () => Promise.reject(full)});
	expect(await actingFaults({})).toEqual(['grey']);
	Object.assign(store.faults, {addHit: async () => Promise.reject(new Error('a bug'))});
	expect(await actingFaults({})).toEqual(['grey']);
	await vi.waitFor(() => expect(lines.map(({message}) => message)).toContain('Could not record a fault hit'));
	expect(lines.filter(({message}) => message.includes('Could not record'))).toHaveLength(1);
	Object.assign(store.faults, {addHit});
});

test('hits appear in the feed and, up to a rate, in the log', async () => {
	const fault = await add({name: 'grey'});
	const end = await store.events.end();
	const feedItems = async () => (await store.events.read(end, 100))?.items ?? [];
	for (let index = 0; index < 25; index++) {
		await trigger({user: 'x'.repeat(10_000)});
	}

	now = at(10);
	await trigger();
	const logged = lines.filter(({message}) => message.startsWith('Fault at '));
	expect(logged).toHaveLength(21);
	expect(logged[0]).toEqual({
		message: 'Fault at RCPT <Signup@tinbox.test> from 127.0.0.1: answered 451 4.7.1 Later',
		fields: {fault: fault.id, inbox: inboxes[0].id, client: {host: '127.0.0.1', helo: 'app'}},
	});
	expect(logged.at(-1)?.fields).toMatchObject({untold: 5});
	await vi.waitFor(async () => expect(await feedItems()).toHaveLength(26));
	expect((await feedItems())[0]).toMatchObject({type: 'fault.hit', faultId: fault.id, inbox: {id: inboxes[0].id}});
	const {rows} = await store.faults.hits({faultId: fault.id}, {page: 1, limit: 100});
	expect(rows.at(-1)?.user).toHaveLength(320);
});
