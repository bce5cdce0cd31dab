import {describe, expect, onTestFinished, test} from 'vitest';
import {SmtpSession} from '../helpers/smtp-session.js';
import {mail} from '../helpers/tinbox.js';
import {silence, startReceiver} from '../helpers/webhook-receiver.js';
import type {Request} from '../unit/http/accounts/world.js';
import {DaemonWorld} from './daemon-world.js';
import {hasNoPostgres, useNodes} from './nodes.js';

const many = 50;
const most = 7;
const mostDeliveries = 5;

/** Seven small mails are fewer bytes than these. */
const large = {count: 5, mail: mail('Large', 'x'.repeat(1000))};

describe.skipIf(hasNoPostgres)('fifty at once at three nodes on one database', () => {
	const nodes = useNodes({
		TINBOX_MAX_INBOXES: `${most}/1000`,
		TINBOX_MAX_ENDPOINTS: `${most}/1000`,
		TINBOX_MAX_TEAMS: `${most}/1000`,
		TINBOX_MAX_MEMBERS: String(most),
		TINBOX_MAX_MESSAGES: `${most}/1000`,
		TINBOX_MAX_STORED: `${large.count * large.mail.length}/1G`,
		TINBOX_MAX_DELIVERIES: `${mostDeliveries}/1000`,
	});

	const open = async () => {
		const world = await DaemonWorld.open(...nodes.daemons());
		onTestFinished(async () => world.close());
		await world.giveKey('guest');
		return world;
	};

	/** The codes of the replies, how often each came. */
	const sendToAll = async (to: string, source: string) => {
		const daemons = nodes.daemons();
		return tally(times(many, async index => replyTo(daemons[index % daemons.length]?.smtp, to, source)));
	};

	test.each<[string, Request, object]>([
		['inboxes', 'POST /inboxes', {}],
		['endpoints', 'POST /webhooks', {url: 'http://127.0.0.1:9/'}],
	])('never make more %s than one user may have', async (_, request, body) => {
		const world = await open();
		const requests = times(many, async () => world.status(request, "guest's key", body));
		expect(await tally(requests)).toEqual({201: most, 429: many - most});
	});

	test('never make more teams than one user may have', async () => {
		const world = await open();
		const requests = times(many, async () => world.status('POST /teams', "guest's token", {name: 'Blue'}));
		expect(await tally(requests)).toEqual({201: most, 429: many - most});
	});

	test('never invite more people than a team may have', async () => {
		const world = await open();
		const invites = world
			.addresses(many)
			.map(async email => world.status('POST /teams/{team}/invite', "owner's token", {email}));
		// Three are in the team.
		expect(await tally(invites)).toEqual({201: most - 3, 429: many - most + 3});
	});

	test('never give one address to two inboxes', async () => {
		const world = await open();
		await world.giveKey('owner');
		const body = {email_address: 'same@tinbox.test'};
		const requests = times(many, async index =>
			world.status('POST /inboxes', index % 2 === 0 ? "guest's key" : "owner's key", body),
		);
		expect(await tally(requests)).toMatchObject({201: 1});
	});

	test('never give plus addresses to others than whom the address without a tag is', async () => {
		const world = await open();
		await world.giveKey('owner');
		const winners = await tally(
			times(many, async index => {
				const [as, address] =
					index % 2 === 0 ? (["guest's key", 'base'] as const) : (["owner's key", 'base+tag'] as const);
				const status = await world.status('POST /inboxes', as, {email_address: `${address}@tinbox.test`});
				return `${as} ${status}`;
			}),
		);
		expect([winners["guest's key 201"] ?? 0, winners["owner's key 201"] ?? 0].sort()).toEqual([0, 1]);
	});

	test('never keep more messages than one user may have', async () => {
		const world = await open();
		const to = await world.addInbox('guest');
		expect(await sendToAll(to, mail('Small'))).toEqual({250: most, 452: many - most});
	});

	test('never keep more mail than one user may have', async () => {
		const world = await open();
		const to = await world.addInbox('guest');
		expect(await sendToAll(to, large.mail)).toEqual({250: large.count, 452: many - large.count});
	});

	test('keep no more deliveries waiting than one user may have, but for what the others store at the same moment', async () => {
		const receiver = await startReceiver(silence);
		const world = await open();
		const to = await world.addInbox('guest');
		const endpoint = await world.answer('POST /webhooks', "guest's key", {url: receiver.url});
		expect(await sendToAll(to, mail('Small'))).toMatchObject({250: most});
		const waiting = `GET /webhooks/${(endpoint as {readonly id: string}).id}/deliveries?status=pending` as const;
		const {pagination} = (await world.answer(waiting, "guest's key")) as {
			readonly pagination: {readonly total: number};
		};
		expect(pagination.total).toBeGreaterThanOrEqual(mostDeliveries);
		expect(pagination.total).toBeLessThanOrEqual(3 * mostDeliveries);
	});

	test('never have a fault act more often than it is to', async () => {
		const world = await open();
		const to = await world.addInbox('guest');
		const fault = {stage: 'rcpt', reply: '451 4.7.1 Later', times: many - most};
		expect(await world.status('POST /inboxes/{inbox}/faults', "guest's key", fault)).toBe(201);
		expect(await sendToAll(to, mail('Small'))).toEqual({451: many - most, 250: most});
	});
});

function times<T>(count: number, work: (index: number) => T): readonly T[] {
	return Array.from({length: count}, (_, index) => work(index));
}

/** How often each outcome came. */
async function tally(outcomes: ReadonlyArray<Promise<number | string>>): Promise<Readonly<Record<string, number>>> {
	const counts: Record<string, number> = {};
	for (const outcome of await Promise.all(outcomes)) {
		counts[outcome] = (counts[outcome] ?? 0) + 1;
	}

	return counts;
}

/** The code of the last reply to a mail, in a session of its own. */
async function replyTo(smtp = {host: '', port: 0}, to: string, source: string): Promise<number> {
	const session = await SmtpSession.open(smtp);
	try {
		await session.send('sender@example.com', to, source);
		return 250;
	} catch (error) {
		return Number(/said: (\d{3})/.exec(String(error))?.[1]);
	} finally {
		session.destroy();
	}
}
