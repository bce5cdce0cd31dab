import {expect, onTestFinished, test, vi} from 'vitest';
import type {DaemonSettings} from '../../../src/config/settings.js';
import type {DeliveryListBody} from '../../../src/contract/webhooks.js';
import type {SendWebhook} from '../../../src/domain/webhooks/delivery.js';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {mail, openTinbox, type Person, type Tinbox} from '../../helpers/tinbox.js';

/** Outcome of using one more: its status, the error message, and a function that frees it. */
type Use = {readonly status: number; readonly message: string; readonly free: () => Promise<unknown>};

type LimitCase = {
	readonly setting: keyof DaemonSettings;
	/** Value that allows two. */
	readonly value?: number;
	/** Uses one more for the user. */
	readonly use: (context: Context) => Promise<Use>;
	/** Status of a rejection, if it is not 429. */
	readonly rejection?: number;
};

type Context = {
	readonly tinbox: Tinbox;
	readonly person: Person;
	readonly inboxId: string;
	readonly address: string;
};

async function callApi({tinbox, person}: Context, path: string, method = 'GET', body?: unknown, signal?: AbortSignal) {
	const {token} = await tinbox.services.credentials.issueToken(person.user.id, 60);
	const credentials = path.startsWith('/teams') ? {Authorization: `Bearer ${token}`} : {'X-API-Key': person.key};
	return fetch(`${tinbox.url}${path}`, {
		method,
		headers: {...credentials, ...(body !== undefined && {'Content-Type': 'application/json'})},
		...(body !== undefined && {body: JSON.stringify(body)}),
		...(signal && {signal}),
	});
}

function createAt(path: string, body: unknown) {
	return async (context: Context): Promise<Use> => {
		const response = await callApi(context, path, 'POST', body);
		const message = await response.text();
		return {
			status: response.status,
			message,
			free: async () => callApi(context, `${path}/${JSON.parse(message).id}`, 'DELETE'),
		};
	};
}

/** Opens a request that stays open, and waits until it is held or rejected. */
async function openRequest(context: Context, path: string): Promise<Use> {
	const controller = new AbortController();
	onTestFinished(() => controller.abort());
	const {feed} = context.tinbox.services;
	const topic = path.startsWith('/events') ? 'everything' : context.inboxId;
	const before = feed.waiting(topic);
	const answer = callApi(context, path, 'GET', undefined, controller.signal);
	const refusal = answer.then(async response => (response.status === 429 ? response : new Promise<never>(() => {})));
	refusal.catch(() => {});
	const registered = vi.waitFor(() => expect(feed.waiting(topic)).toBe(before + 1));
	const rejection = await Promise.race([refusal, registered.then(() => undefined)]);
	return {
		status: rejection?.status ?? 200,
		message: (await rejection?.text()) ?? '',
		async free() {
			const open = feed.waiting(topic);
			controller.abort();
			await vi.waitFor(() => expect(feed.waiting(topic)).toBe(open - 1));
		},
	};
}

/** Sends a mail by SMTP. */
async function sendMail(context: Context): Promise<Use> {
	const session = await SmtpSession.open(context.tinbox.smtp);
	try {
		await session.send('a@example.com', context.address, mail('Hi'));
		await session.quit();
	} catch (error) {
		const message = String(error);
		return {status: Number(/replied: (\d{3})/.exec(message)?.[1]), message, free: async () => {}};
	}

	return {
		status: 250,
		message: '',
		free: async () => callApi(context, `/inboxes/${context.inboxId}/messages/${await newest(context)}`, 'DELETE'),
	};
}

async function newest(context: Context): Promise<string> {
	const [message] = (await (await callApi(context, `/inboxes/${context.inboxId}/messages`)).json()) as {
		readonly id: string;
	}[];
	return message?.id ?? '';
}

/** Stands for a dropped delivery, since mail is accepted regardless of webhooks. */
const dropped = 999;

/** Delivers a mail to an endpoint that never responds, and returns the state of its delivery. */
async function announceMail(context: Context): Promise<Use> {
	const endpoint = (await (await callApi(context, '/webhooks', 'POST', {url: 'http://127.0.0.1:1/'})).json()) as {
		id: string;
	};
	await context.tinbox.deliver(context.address, mail('Hi'));
	// The next mail is announced only to the next endpoint.
	await callApi(context, `/webhooks/${endpoint.id}`, 'PUT', {is_active: false});
	const log = await (await callApi(context, `/webhooks/${endpoint.id}/deliveries`)).json();
	const [delivery] = (log as DeliveryListBody).deliveries;
	const {status, attempts, response_body: message} = delivery ?? {};
	expect([status, attempts]).toEqual([message === null ? 'pending' : 'dead', 0]);
	return {
		status: status === 'dead' ? dropped : 201,
		message: message ?? '',
		free: async () => callApi(context, `/webhooks/${endpoint.id}`, 'DELETE'),
	};
}

const sizeOfTwo = 2 * mail('Hi').length;

const limitCases: readonly LimitCase[] = [
	// Counts the inbox that each user has.
	{setting: 'maxInboxes', value: 3, use: createAt('/inboxes', {})},
	{setting: 'maxEndpoints', use: createAt('/webhooks', {url: 'http://127.0.0.1:1/'})},
	{setting: 'maxTeams', use: createAt('/teams', {name: 'Team'})},
	{setting: 'maxMessages', use: sendMail, rejection: 452},
	{setting: 'maxStored', value: sizeOfTwo, use: sendMail, rejection: 452},
	{setting: 'maxDeliveries', use: announceMail, rejection: dropped},
	{setting: 'maxPolls', use: context => openRequest(context, `/inboxes/${context.inboxId}/messages?wait=60`)},
	{setting: 'maxStreams', use: context => openRequest(context, '/events')},
];

async function openContext(settings: Partial<DaemonSettings>, {send = neverAnswered} = {}) {
	const tinbox = await openTinbox({settings, send});
	return {tinbox, ann: await contextOf(tinbox, 'ann'), bob: await contextOf(tinbox, 'bob')};
}

async function contextOf(tinbox: Tinbox, name: string): Promise<Context> {
	const person = await tinbox.user(name);
	const plain = {name: null, teamId: null, address: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(person.user, plain);
	return {tinbox, person, inboxId: inbox.id, address: inbox.address};
}

const neverAnswered: SendWebhook = async ({signal}) =>
	new Promise(resolve => signal?.addEventListener('abort', () => resolve({ok: false, status: null, body: ''})));

const flagOf = (setting: string) => `--max-${setting.slice(3).toLowerCase()}`;

test.each(limitCases)(
	'$setting limits each user, and a freed slot can be used again',
	async ({setting, value = 2, use, rejection = 429}) => {
		const {ann, bob} = await openContext({[setting]: {perUser: value, total: 100_000}});
		const [first, second] = [await use(ann), await use(ann)];
		expect([first.status, second.status].every(status => status < 300)).toBe(true);
		const excessUse = await use(ann);
		expect(excessUse.status).toBe(rejection);
		expect(excessUse.message).toMatch(/Each user can have at most .*\. .*, or start the daemon with a larger /);
		expect(excessUse.message).toContain(flagOf(setting));
		expect((await use(bob)).status).toBeLessThan(300);
		await first.free();
		await vi.waitFor(async () => expect((await use(ann)).status).toBeLessThan(300));
	},
);

test.each(limitCases)(
	'$setting limits all users together, and a freed slot can be used again',
	async ({setting, value = 2, use, rejection = 429}) => {
		const total = setting === 'maxInboxes' ? value + 1 : value;
		const {ann, bob} = await openContext({[setting]: {perUser: 100_000, total}});
		const [first, second] = [await use(ann), await use(bob)];
		expect([first.status, second.status].every(status => status < 300)).toBe(true);
		const excessUse = await use(bob);
		expect(excessUse).toMatchObject({status: rejection});
		expect(excessUse.message).toMatch(
			/All users together can have at most .*\. .*, or start the daemon with a larger /,
		);
		await first.free();
		await vi.waitFor(async () => expect((await use(bob)).status).toBeLessThan(300));
	},
);

test('stored bytes are limited for concurrent mails and counted after a restart', async () => {
	const {tinbox, ann} = await openContext({maxStored: {perUser: 5 * mail('Hi').length, total: 1e9}});
	const sent = await Promise.allSettled(Array.from({length: 20}, async () => tinbox.deliver(ann.address, mail('Hi'))));
	expect(sent.filter(({status}) => status === 'fulfilled')).toHaveLength(5);
	const restarted = await tinbox.restart();
	onTestFinished(() => restarted.close());
	await expect(restarted.deliver(ann.address, mail('Hi'))).rejects.toMatchObject({code: 'limit_reached'});
	await restarted.services.inboxes.delete(ann.person.user, ann.inboxId);
	expect(await restarted.store.usage(ann.person.user.id)).toMatchObject({messages: 0, bytes: 0, inboxes: 0});
	expect(await restarted.store.usage()).toMatchObject({messages: 0, bytes: 0, inboxes: 1});
});

test('a message with a long header counts as several, also after a restart', async () => {
	const {tinbox, ann, bob} = await openContext({maxMessages: {perUser: 8, total: 12}});
	const long = `Subject: ${'x'.repeat(900_000)}\r\n\r\nHi`;
	const deliver = async (to: Context, by = tinbox) => by.deliver(to.address, long);
	await deliver(ann);
	await deliver(ann);
	await expect(deliver(ann)).rejects.toMatchObject({code: 'limit_reached'});
	expect(await tinbox.store.usage(ann.person.user.id)).toMatchObject({messages: 8});
	await expect(deliver(bob)).resolves.toBeUndefined();
	await expect(tinbox.deliver(bob.address, mail('Hi'))).rejects.toMatchObject({code: 'limit_reached'});
	const restarted = await tinbox.restart();
	onTestFinished(() => restarted.close());
	expect(await restarted.store.usage()).toMatchObject({messages: 12});
	await restarted.services.inboxes.delete(ann.person.user, ann.inboxId);
	expect(await restarted.store.usage()).toMatchObject({messages: 4});
});

test('deliveries above the limit are dropped and can be sent again once there is room', async () => {
	const {tinbox, ann} = await openContext({maxDeliveries: {perUser: 3, total: 100}});
	for (let index = 0; index < 5; index++) {
		await callApi(ann, '/webhooks', 'POST', {url: 'http://127.0.0.1:1/'});
	}

	await Promise.all([tinbox.deliver(ann.address, mail('One')), tinbox.deliver(ann.address, mail('Two'))]);
	const logs = await Promise.all(
		(await tinbox.services.webhooks.list(ann.person.user)).map(async ({id}) =>
			tinbox.services.webhooks.deliveries(ann.person.user, id, {}, {page: 1, limit: 100}),
		),
	);
	const rows = logs.flatMap(log => log.rows);
	expect(rows).toHaveLength(10);
	const waiting = rows.filter(({status}) => status === 'pending');
	const dead = rows.find(({status}) => status === 'dead');
	expect(waiting.length).toBeLessThanOrEqual(3);
	expect(await tinbox.store.usage(ann.person.user.id)).toMatchObject({deliveries: waiting.length});

	await tinbox.deliver(ann.address, mail('Three'));
	expect(await tinbox.store.usage()).toMatchObject({deliveries: 3});
	const redeliverPath = `/webhooks/${dead?.endpointId}/deliveries/${dead?.id}/redeliver`;
	const rejection = await callApi(ann, redeliverPath, 'POST');
	expect(rejection.status).toBe(429);
	expect(await rejection.text()).toContain('--max-deliveries');

	const roomy = await tinbox.restart({send: async () => ({ok: true, status: 200, body: 'Thanks'})});
	onTestFinished(() => roomy.close());
	await vi.waitFor(async () => expect(await roomy.store.usage()).toMatchObject({deliveries: 0}));
	const sent = await callApi({...ann, tinbox: roomy}, redeliverPath, 'POST');
	expect(await sent.json()).toMatchObject({delivery: {status: 'delivered', attempts: 1, response_body: 'Thanks'}});
});

test('a test delivery above the limit is rejected and not stored', async () => {
	const {tinbox, ann} = await openContext({maxDeliveries: {perUser: 1, total: 100}});
	const endpoint = (await (await callApi(ann, '/webhooks', 'POST', {url: 'http://127.0.0.1:1/'})).json()) as {
		id: string;
	};
	await tinbox.deliver(ann.address, mail('Hi'));
	const rejection = await callApi(ann, `/webhooks/${endpoint.id}/test`, 'POST');
	expect(rejection.status).toBe(429);
	expect(await rejection.text()).toContain('--max-deliveries');
	const log = await tinbox.services.webhooks.deliveries(ann.person.user, endpoint.id, {}, {page: 1, limit: 100});
	expect(log.rows.map(({event}) => event)).toEqual(['message.received']);
});

test('a test delivery counts while it is in progress', async () => {
	let answer = () => {};
	const answered = new Promise<void>(resolve => {
		answer = resolve;
	});
	const send = async () => answered.then(() => ({ok: true, status: 200, body: ''}));
	const {tinbox, ann} = await openContext({maxDeliveries: {perUser: 2, total: 100}}, {send});
	const endpoint = (await (await callApi(ann, '/webhooks', 'POST', {url: 'http://127.0.0.1:1/'})).json()) as {
		id: string;
	};
	const test = async () => (await callApi(ann, `/webhooks/${endpoint.id}/test`, 'POST')).status;
	const open = [test(), test()];
	await vi.waitFor(async () => expect(await tinbox.store.usage(ann.person.user.id)).toMatchObject({deliveries: 2}));
	expect(await Promise.all([test(), test()])).toEqual([429, 429]);
	answer();
	expect(await Promise.all(open)).toEqual([200, 200]);
	expect(await test()).toBe(200);
	expect(await tinbox.store.usage()).toMatchObject({deliveries: 0});
});

test('a delivery with a long body counts as several', async () => {
	const {tinbox, ann} = await openContext({maxDeliveries: {perUser: 6, total: 100}});
	await callApi(ann, '/webhooks', 'POST', {url: 'http://127.0.0.1:1/'});
	await tinbox.deliver(ann.address, mail('x'.repeat(2100)));
	await tinbox.deliver(ann.address, mail(`=?utf-8?B?${Buffer.alloc(700, 1).toString('base64')}?=`));
	expect(await tinbox.store.usage()).toMatchObject({deliveries: 2 + 4});
	await tinbox.deliver(ann.address, mail('Hi'));
	expect(await tinbox.store.usage()).toMatchObject({deliveries: 2 + 4});
});

test('dropped deliveries never exceed the log limit of their user', async () => {
	const {tinbox, ann} = await openContext({maxDeliveries: {perUser: 1, total: 100}, webhookKeep: 1});
	for (let index = 0; index < 10; index++) {
		await callApi(ann, '/webhooks', 'POST', {url: 'http://127.0.0.1:1/'});
	}

	for (let index = 0; index < 10; index++) {
		await tinbox.deliver(ann.address, mail('Hi'));
	}

	const {webhooks} = tinbox.services;
	const logs = (await webhooks.list(ann.person.user)).map(async ({id}) =>
		webhooks.deliveries(ann.person.user, id, {status: 'dead'}, {page: 1, limit: 100}),
	);
	expect((await Promise.all(logs)).reduce((sum, {total}) => sum + total, 0)).toBeLessThanOrEqual(50);
});

test('recipients of a mail whose inboxes need more than a thousand deliveries get 452', async () => {
	const {tinbox, ann} = await openContext({});
	const inboxes = [ann.address];
	for (let index = 0; index < 3; index++) {
		const inbox = (await (await callApi(ann, '/inboxes', 'POST', {})).json()) as {readonly email_address: string};
		inboxes.push(inbox.email_address);
	}

	const webhooks = async (count: number) =>
		Promise.all(Array.from({length: count}, () => callApi(ann, '/webhooks', 'POST', {url: 'http://127.0.0.1:1/'})));
	await webhooks(400);
	const session = await SmtpSession.open(tinbox.smtp);
	onTestFinished(() => session.quit());
	const [first = '', ...others] = inboxes;
	await session.command('MAIL FROM:<app@example.com>', '250');
	await session.command(`RCPT TO:<${first}>`, '250');
	await session.command(`RCPT TO:<${first.replace('@', '+tag@')}>`, '250');
	await session.command(`RCPT TO:<${others[0]}>`, '250');
	await session.command(`RCPT TO:<${others[1]}>`, '452 4.5.3');
	await session.command(`RCPT TO:<${others[2]}>`, '452 4.5.3');
	await webhooks(300);
	await session.command('DATA', '354');
	await session.command('.', '452');
	expect(await tinbox.store.usage()).toMatchObject({messages: 0, deliveries: 0});
	await session.send('app@example.com', first, 'Hi\r\n');
	expect(await tinbox.store.usage()).toMatchObject({messages: 1, deliveries: 700});
});

test('members and open invites of a team are limited together, and a freed slot can be used again', async () => {
	const {ann} = await openContext({maxMembers: 2});
	const team = (await (await callApi(ann, '/teams', 'POST', {name: 'Team'})).json()) as {readonly id: string};
	const invite = (email: string) => callApi(ann, `/teams/${team.id}/invite`, 'POST', {email, role: 'member'});
	const {token} = (await (await invite('bob@example.com')).json()) as {readonly token: string};
	const excessUse = await invite('eve@example.com');
	expect(excessUse.status).toBe(429);
	expect(await excessUse.text()).toMatch(/at most 2 members and open invites\. .* --max-members/);
	const {services} = ann.tinbox;
	const [bob] = (await services.users.list()).filter(({name}) => name === 'bob');
	await services.teams.accept(bob as NonNullable<typeof bob>, token);
	expect((await invite('eve@example.com')).status).toBe(429);
	expect((await callApi(ann, `/teams/${team.id}/members/${bob?.id}`, 'DELETE')).status).toBe(200);
	expect((await invite('eve@example.com')).status).toBe(201);
});
