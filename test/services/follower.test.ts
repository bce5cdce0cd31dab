import {expect, onTestFinished, test} from 'vitest';
import type {Inbox} from '../../src/domain/inbox.js';
import type {User} from '../../src/domain/user.js';
import {type Change, Events} from '../../src/services/events.js';
import {Follower, type FollowOptions} from '../../src/services/follower.js';

const user: User = {id: 'u1', name: 'Ann', email: 'ann@example.com', plan: 'free', createdAt: ''};

const store = {
	messages: {count: async () => 0},
	teams: {get: async () => undefined},
};

function changes(count: number, ownerId = 'u1'): readonly Change[] {
	return Array.from({length: count}, (_, index): Change => {
		const inbox: Inbox = {
			id: `i${index}`,
			ownerId,
			teamId: null,
			address: `${index}@tinbox.test`,
			name: null,
			createdAt: '',
			expiresAt: null,
		};
		return {type: 'inbox.created', inbox};
	});
}

function follow(events: Events, options: Partial<FollowOptions> = {}) {
	const leave = new AbortController();
	onTestFinished(() => leave.abort());
	const stream = new Follower(store, events).follow({
		identify: async () => user,
		idleMs: 60_000,
		signal: leave.signal,
		...options,
	});
	return {leave, next: async () => (await stream.next()).value};
}

test('one that reads slowly costs no memory, and learns that it missed something', async () => {
	const events = new Events(10);
	const {next} = follow(events);
	await next();
	for (let round = 0; round < 100; round++) {
		events.tell(changes(5));
	}

	expect(await next()).toEqual([{id: events.idOf(500), event: {type: 'ready', resumed: false}}]);
	events.tell(changes(1));
	expect(await next()).toMatchObject([{id: events.idOf(501), event: {type: 'inbox.created'}}]);
});

test('one that comes back finds all that is still kept, and is told when it is not', async () => {
	const events = new Events(10);
	const {next, leave} = follow(events);
	const [ready] = (await next()) ?? [];
	leave.abort();
	events.tell(changes(3));
	const back = follow(events, {lastEventId: ready?.id});
	expect(await back.next()).toMatchObject([{event: {type: 'ready', resumed: true}}]);
	expect(await back.next()).toHaveLength(3);

	events.tell(changes(100));
	const late = follow(events, {lastEventId: ready?.id});
	expect(await late.next()).toMatchObject([{event: {type: 'ready', resumed: false}}]);
});

test('what nobody wanted to know when it happened is known to be missing', async () => {
	const events = new Events(10);
	const id = events.idOf(events.end);
	events.tell(changes(1));
	expect(await follow(events, {lastEventId: id}).next()).toMatchObject([{event: {type: 'ready', resumed: false}}]);
});

test('tells of many changes in batches', async () => {
	const events = new Events();
	const {next} = follow(events);
	await next();
	events.tell(changes(1200));
	expect([await next(), await next(), await next()].map(batch => batch?.length)).toEqual([500, 500, 200]);
});

test('passes over what the user may not know, and goes on behind it', async () => {
	const events = new Events();
	const {next} = follow(events);
	await next();
	events.tell([...changes(2, 'somebody else'), ...changes(1)]);
	expect(await next()).toMatchObject([{id: events.idOf(3)}]);
});

test('gives a sign of life while nothing happens', async () => {
	const {next} = follow(new Events(), {idleMs: 1});
	await next();
	expect(await next()).toEqual([]);
});

test('ends when the client leaves, when nobody is identified, and when the daemon stops', async () => {
	const events = new Events();
	const [left, revoked, stopped] = [follow(events), follow(events, {identify: async () => undefined}), follow(events)];
	await Promise.all([left.next(), revoked.next(), stopped.next()]);
	left.leave.abort();
	events.tell(changes(1));
	expect(await left.next()).toBeUndefined();
	expect(await revoked.next()).toBeUndefined();
	await stopped.next();
	events.stop();
	expect(await stopped.next()).toBeUndefined();
});
