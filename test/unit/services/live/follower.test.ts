import {setImmediate as turn} from 'node:timers/promises';
import {expect, onTestFinished, test, vi} from 'vitest';
import type {Team} from '../../../../src/domain/accounts/team.js';
import type {User} from '../../../../src/domain/accounts/user.js';
import type {FeedItem} from '../../../../src/domain/feed.js';
import type {Inbox} from '../../../../src/domain/mail/inbox.js';
import {type Message, type Summary, unreadSummary} from '../../../../src/domain/mail/message.js';
import {Feed} from '../../../../src/services/live/feed.js';
import {Follower, type FollowOptions, type NumberedEvent} from '../../../../src/services/live/follower.js';
import {EventsInMemory} from '../../../../src/store/json/nouns/events.js';
import {someHit} from '../../store/rows.js';

const user: User = {id: 'u1', name: 'Ann', email: 'ann@example.com', plan: 'free', createdAt: ''};

function inboxOf(id: string, ownerId: string, teamId: string | null): Inbox {
	const address = `${id}@tinbox.test`;
	return {id, ownerId, teamId, address, name: null, routing: 'login', generation: 0, createdAt: '', expiresAt: null};
}

function messageOf(id: string, texts: Partial<Summary>): Message {
	return {
		id,
		inboxId: 'i1',
		sourceId: id,
		to: '',
		size: 1,
		receivedAt: '',
		envelope: {from: '', to: []},
		session: null,
		summary: {...unreadSummary, ...texts},
	};
}

/** Store that has any inbox, and one team that a test can change. */
class World {
	readonly events: EventsInMemory;
	readonly feed: Feed;
	readonly follower: Follower;
	team: Team | undefined;
	/** Current team of the inboxes. */
	teamId: string | null = null;
	ownerId = 'u1';
	/** Summary of every message; undefined if they are deleted. */
	texts: Partial<Summary> | undefined = {};
	messagesRead = 0;
	/** Reply of every hit. */
	reply = '451 4.7.1 Later';
	/** Called after each read of the team. */
	onTeamRead = () => {};

	constructor(capacity?: number) {
		this.events = new EventsInMemory(capacity);
		this.feed = new Feed(this.events);
		const nothing = {get: async () => undefined};
		this.follower = new Follower(
			{
				messages: {
					get: async id => {
						this.messagesRead++;
						return this.texts && messageOf(id, this.texts);
					},
					count: async () => 0,
					evicted: async () => 0,
				},
				inboxes: {get: async id => (id === 'gone' ? undefined : inboxOf(id, this.ownerId, this.teamId))},
				teams: {
					get: async () => {
						const {team} = this;
						this.onTeamRead();
						return team;
					},
				},
				endpoints: nothing,
				deliveries: nothing,
				events: this.events,
				faults: {hit: async id => (id === 'gone' ? undefined : someHit({id, reply: this.reply}))},
			},
			this.feed,
		);
	}

	follow(options: Partial<FollowOptions> = {}) {
		const leave = new AbortController();
		onTestFinished(() => leave.abort());
		const stream = this.follower.follow({
			identify: async () => user,
			idleMs: 60_000,
			signal: leave.signal,
			...options,
		});
		return {leave, next: async () => (await stream.next()).value};
	}

	join(): void {
		const member = {userId: 'u1', role: 'member', joinedAt: ''} as const;
		this.team = {id: 't1', name: 'Red', ownerId: 'u2', members: [member], generation: 0, createdAt: ''};
		this.feed.publish([{type: 'scope', userIds: ['u1']}]);
	}
}

function created(count: number, ownerId = 'u1', teamId: string | null = null): readonly FeedItem[] {
	return Array.from({length: count}, (_, index) => ({
		type: 'inbox.created',
		inbox: {id: `i${index}`, ownerId, teamId},
	}));
}

function received(count: number): ReadonlyArray<FeedItem & {readonly type: 'message.received'}> {
	const inbox = {id: 'i1', ownerId: 'u1', teamId: null};
	return Array.from({length: count}, (_, index) => ({type: 'message.received', messageId: `m${index}`, inbox}));
}

function hits(inbox: Pick<Inbox, 'id' | 'ownerId' | 'teamId'> | null, ...ids: readonly string[]): readonly FeedItem[] {
	return ids.map(hitId => ({type: 'fault.hit', hitId, faultId: null, inbox}));
}

const restarted = {type: 'ready', resumed: false};

test('a slow follower uses no memory and learns that events are missing', async () => {
	const world = new World(10);
	const {next} = world.follow();
	await next();
	for (let round = 0; round < 100; round++) {
		world.feed.publish(created(5));
	}

	expect(await next()).toEqual([{id: await world.events.end(), event: restarted}]);
	world.feed.publish(created(1));
	expect(await next()).toMatchObject([{id: await world.events.end(), event: {type: 'inbox.created'}}]);
});

test('a follower that reconnects gets all events that are still stored', async () => {
	const world = new World(10);
	const {next, leave} = world.follow();
	const [ready] = (await next()) ?? [];
	leave.abort();
	expect(await next()).toBeUndefined();
	world.feed.publish(created(3));
	const back = world.follow({lastEventId: ready?.id});
	expect(await back.next()).toMatchObject([{event: {type: 'ready', resumed: true}}]);
	expect(await back.next()).toHaveLength(3);

	world.feed.publish(created(100));
	const late = world.follow({lastEventId: ready?.id});
	expect(await late.next()).toMatchObject([{event: restarted}]);
});

test('many events are sent in batches', async () => {
	const world = new World();
	const {next} = world.follow();
	await next();
	world.feed.publish(created(120));
	expect([await next(), await next(), await next()].map(batch => batch?.length)).toEqual([50, 50, 20]);
});

test.each([
	['their subjects are long', {subject: 'x'.repeat(20_000)}],
	['their subjects are long as JSON', {subject: '\u0001'.repeat(4000)}],
	['their senders are long', {from: 'x'.repeat(10_000), fromName: 'x'.repeat(10_000)}],
])('a batch has few messages when %s, and each message is sent once', async (_why, texts) => {
	const world = new World();
	world.texts = texts;
	const {next} = world.follow();
	await next();
	world.feed.publish(received(5));
	const batches = [await next(), await next(), await next()];
	expect(batches.map(batch => batch?.length)).toEqual([2, 2, 1]);
	expect(batches.flat().map(one => one?.event)).toMatchObject(received(5).map(({messageId: id}) => ({message: {id}})));
});

test('faults of an inbox are sent to users who can see it, and faults of the daemon to the local user', async () => {
	const world = new World();
	const local = {...user, id: 'u3', email: 'ann@localhost'};
	const [anns, locals] = [world.follow(), world.follow({identify: async () => local})];
	await Promise.all([anns.next(), locals.next()]);
	const own = {id: 'i1', ownerId: 'u1', teamId: null};
	world.feed.publish([
		...hits(own, 'h1', 'gone'),
		...hits(null, 'h2'),
		{type: 'faults.changed', inbox: own},
		{type: 'faults.changed', inbox: null},
	]);
	const nextEvents = async ({next}: typeof anns) => ((await next()) ?? []).map(({event}: NumberedEvent) => event);
	expect(await nextEvents(anns)).toMatchObject([
		{type: 'fault.hit', hit: {id: 'h1'}},
		{type: 'faults.changed', inboxId: 'i1'},
	]);
	expect(await nextEvents(locals)).toMatchObject([
		{type: 'fault.hit', hit: {id: 'h2'}},
		{type: 'faults.changed', inboxId: null},
	]);
});

test('a batch has few hits when their texts are long', async () => {
	const world = new World();
	world.reply = 'x'.repeat(20_000);
	const {next} = world.follow();
	await next();
	world.feed.publish(hits({id: 'i1', ownerId: 'u1', teamId: null}, 'h1', 'h2', 'h3'));
	expect([await next(), await next()].map(batch => batch?.length)).toEqual([2, 1]);
});

test('followers of one user share batches, and few are sent per turn', async () => {
	const world = new World();
	const followers = Array.from({length: 100}, () => world.follow());
	await Promise.all(followers.map(({next}) => next()));
	world.feed.publish(received(50));
	let readers = 0;
	const batches = followers.map(async ({next}) => {
		const batch = await next();
		readers += 1;
		return batch;
	});
	let mostInTurn = 0;
	while (readers < followers.length) {
		const before = readers;
		await turn();
		mostInTurn = Math.max(mostInTurn, readers - before);
	}

	const [first, ...others] = await Promise.all(batches);
	expect(first).toHaveLength(50);
	expect(others.every(batch => batch === first)).toBe(true);
	expect(world.messagesRead).toBe(50);
	// Two turns can pass between two checks.
	expect(mostInTurn).toBeLessThanOrEqual(8);
});

test('a shared batch is not reused after a second, because its message may have been deleted', async () => {
	vi.useFakeTimers({toFake: ['performance']});
	onTestFinished(() => void vi.useRealTimers());
	const world = new World();
	const [early, late] = [world.follow(), world.follow()];
	await Promise.all([early.next(), late.next()]);
	world.feed.publish(received(1));
	expect(await early.next()).toHaveLength(1);
	world.texts = undefined;
	vi.advanceTimersByTime(1001);
	expect(await late.next()).toEqual([]);
});

test('events that the user may not see and deleted messages are skipped', async () => {
	const world = new World();
	const {next} = world.follow();
	await next();
	const gone: FeedItem = {type: 'inbox.created', inbox: {id: 'gone', ownerId: 'u1', teamId: null}};
	world.feed.publish([...created(2, 'somebody else'), gone, ...created(1)]);
	expect(await next()).toMatchObject([{id: await world.events.end(), event: {type: 'inbox.created'}}]);
});

test('a new team member gets no earlier events, neither at once nor after reconnecting', async () => {
	const world = new World();
	const following = world.follow();
	const [ready] = (await following.next()) ?? [];
	world.feed.publish(created(2, 'u2', 't1'));
	world.join();
	world.feed.publish(created(1, 'u2', 't1'));
	expect(await following.next()).toEqual([{id: await world.events.end(), event: restarted}]);

	const back = world.follow({lastEventId: ready?.id});
	expect(await back.next()).toEqual([{id: await world.events.end(), event: restarted}]);
	world.feed.publish(created(1, 'u2', 't1'));
	expect(await back.next()).toMatchObject([{event: {type: 'inbox.created'}}]);
});

test('a new team member gets no events of an inbox that has left the team', async () => {
	const world = new World();
	world.ownerId = 'u2';
	const {next} = world.follow();
	await next();
	world.join();
	expect(await next()).toEqual([{id: await world.events.end(), event: restarted}]);
	world.feed.publish(created(1, 'u2', 't1'));
	expect(await next()).toEqual([]);

	world.teamId = 't1';
	world.feed.publish(created(1, 'u2', null));
	expect(await next()).toEqual([]);
	world.feed.publish(created(1, 'u2', 't1'));
	expect(await next()).toMatchObject([{event: {type: 'inbox.created'}}]);
});

test('a user who joins a team while a batch is created does not get it', async () => {
	const world = new World();
	const {next} = world.follow();
	await next();
	world.feed.publish(created(2, 'u2', 't1'));
	world.onTeamRead = () => {
		world.onTeamRead = () => {};
		world.join();
	};
	expect(await next()).toEqual([{id: await world.events.end(), event: restarted}]);
});

test('a changed scope of other users does not restart a stream', async () => {
	const world = new World();
	const {next} = world.follow();
	await next();
	world.feed.publish([{type: 'scope', userIds: ['u2', 'u3']}, ...created(1)]);
	expect(await next()).toMatchObject([{event: {type: 'inbox.created'}}]);
});

test('an idle stream sends empty batches', async () => {
	const {next} = new World().follow({idleMs: 1});
	await next();
	expect(await next()).toEqual([]);
});

test('a stream ends when the client disconnects, its user is unknown, or the daemon stops', async () => {
	const world = new World();
	const [left, revoked, stopped] = [world.follow(), world.follow({identify: async () => undefined}), world.follow()];
	await Promise.all([left.next(), revoked.next(), stopped.next()]);
	left.leave.abort();
	world.feed.publish(created(1));
	expect(await left.next()).toBeUndefined();
	expect(await revoked.next()).toBeUndefined();
	await stopped.next();
	const ended = stopped.next();
	world.follower.stop();
	await ended;
	expect(await stopped.next()).toBeUndefined();
	expect(world.feed.waiting('everything')).toBe(0);
});
