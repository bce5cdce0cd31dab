import {expect, onTestFinished, test, vi} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import type {EventBody} from '../../../src/contract/events.js';
import {mail, openTinbox, type Tinbox, type TinboxOptions} from '../../helpers/tinbox.js';

async function open(options?: TinboxOptions) {
	const tinbox = await openTinbox(options);
	const {key} = await tinbox.user('ann');
	return {tinbox, key, client: apiClient({url: tinbox.url, apiKey: key})};
}

async function deliverEach(tinbox: Tinbox, to: string, ...subjects: readonly string[]): Promise<void> {
	for (const subject of subjects) {
		await tinbox.deliver(to, mail(subject));
	}
}

test('an inbox keeps its newest messages and counts evicted ones', async () => {
	const {tinbox, client} = await open();
	const inbox = await client.inboxes.create({keep: 2, keep_for: 3600});
	expect(inbox).toMatchObject({keep: 2, keep_for: 3600, evicted: 0});
	await deliverEach(tinbox, inbox.email_address, 'One', 'Two', 'Three', 'Four');
	const rows = await client.messages.list(inbox.id);
	expect(rows.map(({subject}) => subject)).toEqual(['Four', 'Three']);
	expect(await client.inboxes.get(inbox.id)).toMatchObject({message_count: 2, evicted: 2});
});

test('the misses of a wait count evicted messages, in total or after a known count', async () => {
	const {tinbox, client} = await open();
	const {id, email_address: to} = await client.inboxes.create({keep: 1});
	await deliverEach(tinbox, to, 'One', 'Two', 'Three', 'Four');
	const {evicted} = await client.inboxes.get(id);
	await deliverEach(tinbox, to, 'Five', 'Six');
	expect(await client.messages.misses(id, {subject: 'One'})).toMatchObject({evicted: 5});
	const since = {evictedAfter: evicted};
	expect(await client.messages.misses(id, {subject: 'One'}, since)).toMatchObject({evicted: 2});
	expect(await client.messages.misses(id, {subject: 'One'}, {evictedAfter: 99})).toMatchObject({evicted: 0});
});

test('a changed limit applies immediately, and null restores the default', async () => {
	const {tinbox, client} = await open({settings: {keep: 3, keepForMs: 3_600_000}});
	const {id, email_address: to} = await client.inboxes.create({keep: 0, keep_for: 0});
	await deliverEach(tinbox, to, 'One', 'Two', 'Three', 'Four');
	expect(await client.inboxes.update(id, {keep: 1})).toMatchObject({keep: 1, keep_for: 0, message_count: 1});
	await deliverEach(tinbox, to, 'Five');
	expect(await client.inboxes.update(id, {keep: null})).toMatchObject({keep: null, message_count: 1, evicted: 4});
	await deliverEach(tinbox, to, 'Six', 'Seven', 'Eight');
	expect(await client.inboxes.update(id, {name: 'x'})).toMatchObject({keep: null, message_count: 3, evicted: 5});
});

test('messages expire on time, also while the daemon is stopped', async () => {
	let now = Date.now();
	const {tinbox, client} = await open({now: () => new Date(now)});
	const soon = await client.inboxes.create({keep_for: 1});
	const later = await client.inboxes.create({keep_for: 600});
	await deliverEach(tinbox, soon.email_address, 'One');
	await deliverEach(tinbox, later.email_address, 'Two');
	now += 1000;
	await vi.waitFor(async () => expect(await client.inboxes.get(soon.id)).toMatchObject({message_count: 0, evicted: 1}));
	expect(await client.inboxes.get(later.id)).toMatchObject({message_count: 1});
	now += 600_000;
	const restarted = await tinbox.restart();
	await vi.waitFor(async () => expect(await restarted.store.messages.count(later.id)).toBe(0));
	await restarted.close();
});

test('the event of an evicted message has a reason', async () => {
	const {tinbox, client} = await open();
	const {id, email_address: to} = await client.inboxes.create({keep: 1});
	const events: EventBody[] = [];
	const controller = new AbortController();
	onTestFinished(() => controller.abort());
	const following = (async () => {
		for await (const {event} of client.events.follow(controller.signal)) {
			events.push(event);
		}
	})().catch(() => {});
	await vi.waitFor(() => expect(events).toHaveLength(1));
	await deliverEach(tinbox, to, 'One');
	const [first] = await client.messages.list(id);
	await deliverEach(tinbox, to, 'Two');
	await vi.waitFor(() => expect(events).toHaveLength(4));
	expect(events[3]).toEqual({
		type: 'message.deleted',
		inbox_id: id,
		message_id: first?.id,
		message_count: 1,
		reason: 'evicted',
	});
	controller.abort();
	await following;
});

test.each([
	[{keep: -1}, 'keep'],
	[{keep: 1.5}, 'keep'],
	[{keep: 'all'}, 'keep'],
	[{keep_for: -1}, 'keep_for'],
	[{keep_for: '7d'}, 'keep_for'],
	[{keep_for: 1e12}, 'keep_for'],
])('an inbox with %j is rejected', async (body, field) => {
	const {tinbox, key} = await open();
	const response = await tinbox.request('POST', '/inboxes', {key, body});
	expect(response.status).toBe(400);
	expect(await response.json()).toMatchObject({code: 'invalid_input', errors: [{field}]});
});
