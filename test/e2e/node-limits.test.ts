import {describe, expect, onTestFinished, test} from 'vitest';
import {SmtpSession} from '../helpers/smtp-session.js';
import {mail} from '../helpers/tinbox.js';
import {noResponse, startReceiver} from '../helpers/webhook-receiver.js';
import type {Request} from '../unit/http/accounts/world.js';
import {DaemonWorld} from './daemon-world.js';
import {hasNoPostgres, useNodes} from './nodes.js';

const requestCount = 50;
const limit = 7;
const maxDeliveries = 5;

/** Mails that reach the quota of bytes before the quota of messages. */
const large = {count: 5, mail: mail('Large', 'x'.repeat(1000))};

describe.skipIf(hasNoPostgres)('fifty concurrent requests to three nodes on one database', () => {
	const nodes = useNodes({
		TINBOX_MAX_INBOXES: `${limit}/1000`,
		TINBOX_MAX_ENDPOINTS: `${limit}/1000`,
		TINBOX_MAX_TEAMS: `${limit}/1000`,
		TINBOX_MAX_MEMBERS: String(limit),
		TINBOX_MAX_MESSAGES: `${limit}/1000`,
		TINBOX_MAX_STORED: `${large.count * large.mail.length}/1G`,
		TINBOX_MAX_DELIVERIES: `${maxDeliveries}/1000`,
	});

	const open = async () => {
		const world = await DaemonWorld.open(...nodes.daemons());
		onTestFinished(async () => world.close());
		await world.giveKey('guest');
		return world;
	};

	/** Sends to all nodes in turn and counts the replies by code. */
	const sendToAll = async (to: string, source: string) => {
		const daemons = nodes.daemons();
		return tally(times(requestCount, async index => replyTo(daemons[index % daemons.length]?.smtp, to, source)));
	};

	test.each<[string, Request, object]>([
		['inboxes', 'POST /inboxes', {}],
		['endpoints', 'POST /webhooks', {url: 'http://127.0.0.1:9/'}],
	])('never create more %s than the quota of a user', async (_, request, body) => {
		const world = await open();
		const requests = times(requestCount, async () => world.status(request, "guest's key", body));
		expect(await tally(requests)).toEqual({201: limit, 429: requestCount - limit});
	});

	test('never create more teams than the quota of a user', async () => {
		const world = await open();
		const requests = times(requestCount, async () => world.status('POST /teams', "guest's token", {name: 'Blue'}));
		expect(await tally(requests)).toEqual({201: limit, 429: requestCount - limit});
	});

	test('never invite more people than the quota of members', async () => {
		const world = await open();
		const invites = world
			.addresses(requestCount)
			.map(async email => world.status('POST /teams/{team}/invite', "owner's token", {email}));
		// The team already has three members.
		expect(await tally(invites)).toEqual({201: limit - 3, 429: requestCount - limit + 3});
	});

	test('never create two inboxes with the same address', async () => {
		const world = await open();
		await world.giveKey('owner');
		const body = {email_address: 'same@tinbox.test'};
		const requests = times(requestCount, async index =>
			world.status('POST /inboxes', index % 2 === 0 ? "guest's key" : "owner's key", body),
		);
		expect(await tally(requests)).toMatchObject({201: 1});
	});

	test('never create a plus address for a user who does not own its base address', async () => {
		const world = await open();
		await world.giveKey('owner');
		const winners = await tally(
			times(requestCount, async index => {
				const [as, address] =
					index % 2 === 0 ? (["guest's key", 'base'] as const) : (["owner's key", 'base+tag'] as const);
				const status = await world.status('POST /inboxes', as, {email_address: `${address}@tinbox.test`});
				return `${as} ${status}`;
			}),
		);
		expect([winners["guest's key 201"] ?? 0, winners["owner's key 201"] ?? 0].sort()).toEqual([0, 1]);
	});

	test('never store more messages than the quota of a user', async () => {
		const world = await open();
		const to = await world.addInbox('guest');
		expect(await sendToAll(to, mail('Small'))).toEqual({250: limit, 452: requestCount - limit});
	});

	test('never store more bytes of mail than the quota of a user', async () => {
		const world = await open();
		const to = await world.addInbox('guest');
		expect(await sendToAll(to, large.mail)).toEqual({250: large.count, 452: requestCount - large.count});
	});

	test('never exceed the quota of pending deliveries by more than the other nodes store at the same moment', async () => {
		const receiver = await startReceiver(noResponse);
		const world = await open();
		const to = await world.addInbox('guest');
		const endpoint = await world.json('POST /webhooks', "guest's key", {url: receiver.url});
		expect(await sendToAll(to, mail('Small'))).toMatchObject({250: limit});
		const waiting = `GET /webhooks/${(endpoint as {readonly id: string}).id}/deliveries?status=pending` as const;
		const {pagination} = (await world.json(waiting, "guest's key")) as {
			readonly pagination: {readonly total: number};
		};
		expect(pagination.total).toBeGreaterThanOrEqual(maxDeliveries);
		expect(pagination.total).toBeLessThanOrEqual(3 * maxDeliveries);
	});

	test('never hit a fault more often than its limit', async () => {
		const world = await open();
		const to = await world.addInbox('guest');
		const fault = {stage: 'rcpt', reply: '451 4.7.1 Later', times: requestCount - limit};
		expect(await world.status('POST /inboxes/{inbox}/faults', "guest's key", fault)).toBe(201);
		expect(await sendToAll(to, mail('Small'))).toEqual({451: requestCount - limit, 250: limit});
	});
});

function times<T>(count: number, work: (index: number) => T): readonly T[] {
	return Array.from({length: count}, (_, index) => work(index));
}

/** Counts equal outcomes. */
async function tally(outcomes: ReadonlyArray<Promise<number | string>>): Promise<Readonly<Record<string, number>>> {
	const counts: Record<string, number> = {};
	for (const outcome of await Promise.all(outcomes)) {
		counts[outcome] = (counts[outcome] ?? 0) + 1;
	}

	return counts;
}

/** Sends a mail in a new session and returns the code of the last reply. */
async function replyTo(smtp = {host: '', port: 0}, to: string, source: string): Promise<number> {
	const session = await SmtpSession.open(smtp);
	try {
		await session.send('sender@example.com', to, source);
		return 250;
	} catch (error) {
		return Number(/replied: (\d{3})/.exec(String(error))?.[1]);
	} finally {
		session.destroy();
	}
}
