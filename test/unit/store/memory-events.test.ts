import {expect, test} from 'vitest';
import type {FeedItem} from '../../../src/domain/feed.js';
import {EventsInMemory} from '../../../src/store/json/nouns/events.js';

const inbox = {id: 'a', ownerId: 'u1', teamId: null};
const some = (count: number): readonly FeedItem[] =>
	Array.from({length: count}, (_, index) => ({type: 'message.received', messageId: String(index), inbox}));

test('the newest events are kept without readers, and an older cursor is reported as lost', async () => {
	const events = new EventsInMemory(10);
	const start = await events.end();
	await events.append(some(9));
	expect((await events.read(start, 100))?.items).toHaveLength(9);
	const ninth = await events.end();
	await events.append(some(10));
	expect((await events.read(ninth, 100))?.items).toHaveLength(10);
	await events.append(some(1000));
	expect(await events.read(start, 100)).toBeUndefined();
	expect(await events.read(ninth, 100)).toBeUndefined();
	expect((await events.read(await events.end(), 100))?.items).toEqual([]);
});
