import net from 'node:net';
import {afterAll, beforeAll, describe, expect, onTestFinished, test, vi} from 'vitest';
import type {MessageBody} from '../../../src/contract/messages.js';
import {parseResponse} from '../../helpers/raw-http.js';
import {mail, openTinbox, Tinbox} from '../../helpers/tinbox.js';

type Answer = {readonly status: number; readonly body: readonly MessageBody[]};

let shared: Tinbox;
beforeAll(async () => {
	shared = await Tinbox.open();
});
afterAll(async () => shared.close());

let people = 0;

/** Opens an inbox of a new user, and polls on it. */
async function openPolls(tinbox = shared) {
	const ann = await tinbox.user(`ann${people++}`);
	const {inbox} = await tinbox.services.inboxes.create(ann.user, {
		name: null,
		teamId: null,
		address: null,
		ttlSeconds: null,
	});
	const target = `/inboxes/${inbox.id}/messages`;
	const poll = async (query = 'wait=60', signal?: AbortSignal): Promise<Answer> => {
		const options = {headers: {'X-API-Key': ann.key}, ...(signal && {signal})};
		const response = await fetch(`${tinbox.url}${target}?${query}`, options);
		return {status: response.status, body: (await response.json()) as readonly MessageBody[]};
	};
	return {
		tinbox,
		ann,
		inbox,
		target,
		poll,
		deliver: (subject: string, from?: string) => tinbox.deliver(inbox.address, mail(subject, 'Hi', from)),
		waiting: (count: number) => waiting(tinbox, inbox.id, count),
	};
}

/** Opens a poll of a team member on an inbox that another user shares with the team. */
async function openTeamPoll() {
	const polls = await openPolls();
	const {tinbox, ann, inbox, target, waiting} = polls;
	const bob = await tinbox.user(`bob${people++}`);
	const {teams, inboxes} = tinbox.services;
	const {team} = await teams.create(ann.user, 'Red');
	const {token} = await teams.invite(ann.user, team.id, {email: bob.user.email, role: 'member'});
	await teams.accept(bob.user, token);
	await inboxes.update(ann.user, inbox.id, {teamId: team.id});
	const answer = tinbox.request('GET', `${target}?wait=60`, {key: bob.key});
	await waiting(1);
	return {...polls, bob, team, answer};
}

async function waiting(tinbox: Tinbox, inboxId: string, count: number): Promise<void> {
	await vi.waitFor(() => expect(tinbox.services.feed.waiting(inboxId)).toBe(count), 10_000);
}

describe('a long poll', () => {
	test('responds immediately if there is a message', async () => {
		const {poll, deliver, waiting} = await openPolls();
		await deliver('Early');
		expect(await poll()).toMatchObject({status: 200, body: [{subject: 'Early'}]});
		await waiting(0);
	});

	test('responds when a message arrives', async () => {
		const {poll, deliver, waiting} = await openPolls();
		const answer = poll();
		await waiting(1);
		await deliver('Late');
		expect(await answer).toMatchObject({status: 200, body: [{subject: 'Late', text: 'Hi\n'}]});
		await waiting(0);
	});

	test('responds with an empty list after its timeout', async () => {
		const {poll, waiting} = await openPolls();
		expect(await poll('wait=1')).toEqual({status: 200, body: []});
		await waiting(0);
	});

	test('does not wait with wait=0', async () => {
		const {poll} = await openPolls();
		expect(await poll('wait=0')).toEqual({status: 200, body: []});
	});

	test('keeps waiting if a message does not match', async () => {
		const {poll, deliver, waiting} = await openPolls();
		const responses = [poll('wait=60&q=code'), poll('wait=60&from=shop@'), poll('wait=60&to=nobody')];
		await waiting(3);
		await deliver('Hello');
		await deliver('Welcome');
		await deliver('Your code', 'shop@example.com');
		expect((await responses[0])?.body).toMatchObject([{subject: 'Your code'}]);
		expect((await responses[1])?.body).toMatchObject([{from: 'shop@example.com'}]);
		await waiting(1);
	});

	test('waits for a message that is newer than "after"', async () => {
		const {poll, deliver, waiting} = await openPolls();
		await deliver('Old');
		const [old] = (await poll()).body;
		const answer = poll(`wait=60&after=${old?.id}`);
		await waiting(1);
		await deliver('New');
		expect((await answer).body.map(({subject}) => subject)).toEqual(['New']);
	});

	test('ignores mail to other inboxes', async () => {
		const {tinbox, ann, poll, waiting} = await openPolls();
		const {inbox: other} = await tinbox.services.inboxes.create(ann.user, {
			name: null,
			teamId: null,
			address: null,
			ttlSeconds: null,
		});
		const answer = poll('wait=1');
		await waiting(1);
		await tinbox.deliver(other.address, mail('Else'));
		expect(await answer).toEqual({status: 200, body: []});
	});

	test('gets 404 when its inbox is deleted', async () => {
		const {tinbox, ann, inbox, poll, waiting} = await openPolls();
		const answer = poll();
		await waiting(1);
		await tinbox.services.inboxes.delete(ann.user, inbox.id);
		expect(await answer).toMatchObject({status: 404, body: {code: 'not_found'}});
	});

	test('ends immediately when its key is revoked', async () => {
		const {tinbox, ann, inbox, poll, waiting} = await openPolls();
		const other = await tinbox.services.keys.create(ann.user, 'Other');
		const answer = poll();
		const otherPoll = tinbox.request('GET', `/inboxes/${inbox.id}/messages?wait=60`, {key: other.raw});
		await waiting(2);
		const revoked = (await tinbox.services.keys.list(ann.user)).find(({id}) => id !== other.key.id);
		await tinbox.services.keys.revoke(ann.user, revoked?.id ?? '');
		expect(await answer).toMatchObject({status: 401, body: {code: 'unauthorized'}});
		await waiting(1);
		await tinbox.deliver(inbox.address, mail('For the other'));
		expect(await (await otherPoll).json()).toMatchObject([{subject: 'For the other'}]);
	});

	test('returns no mail that arrives just after its key was revoked', async () => {
		const {tinbox, ann, poll, deliver, waiting} = await openPolls();
		const answer = poll();
		await waiting(1);
		const [key] = await tinbox.services.keys.list(ann.user);
		const revoked = tinbox.services.keys.revoke(ann.user, key?.id ?? '');
		await Promise.all([revoked, revoked.then(() => deliver('Secret'))]);
		const {status, headers} = await tinbox.request('GET', '/inboxes', {key: ann.key});
		expect([status, headers.get('WWW-Authenticate')]).toEqual([401, 'ApiKey realm="tinbox", header="X-API-Key"']);
		expect(await answer).toMatchObject({status: 401});
	});

	test('ends immediately when its user is deleted', async () => {
		const {tinbox, ann, poll, waiting} = await openPolls();
		const answer = poll();
		await waiting(1);
		await tinbox.services.users.delete(ann.user.id);
		expect(await answer).toMatchObject({status: 401, body: {code: 'unauthorized'}});
		await waiting(0);
	});

	test('in the inbox of another user ends immediately when its user is deleted', async () => {
		const {tinbox, bob, answer, waiting} = await openTeamPoll();
		await tinbox.services.users.delete(bob.user.id);
		expect((await answer).status).toBe(401);
		await waiting(0);
	});

	test('ends immediately when its user leaves the team of the inbox', async () => {
		const {tinbox, ann, bob, team, answer} = await openTeamPoll();
		await tinbox.services.teams.removeMember(ann.user, team.id, bob.user.id);
		expect(await (await answer).json()).toMatchObject({status: 404, code: 'not_found'});
	});

	test('ends immediately when the team of the inbox is deleted', async () => {
		const {tinbox, ann, team, answer, deliver} = await openTeamPoll();
		await tinbox.services.teams.delete(ann.user, team.id);
		await deliver('Secret');
		expect(await (await answer).json()).toMatchObject({status: 404, code: 'not_found'});
	});

	test('ends when its client disconnects', async () => {
		const {tinbox, poll, deliver, waiting} = await openPolls();
		const controller = new AbortController();
		const answer = poll('wait=60', controller.signal);
		await waiting(1);
		controller.abort();
		await expect(answer).rejects.toThrow();
		await waiting(0);
		await deliver('Too late');
		expect(tinbox.logged).toEqual([]);
	});

	test('can be pipelined with other requests', async () => {
		const {tinbox, ann, target, deliver, waiting} = await openPolls();
		const socket = net.connect(tinbox.port, '127.0.0.1');
		onTestFinished(() => void socket.destroy());
		let received = '';
		socket.on('data', chunk => {
			received += chunk;
		});
		const request = (path: string) =>
			`GET /v1${path} HTTP/1.1\r\nHost: 127.0.0.1:${tinbox.port}\r\nX-API-Key: ${ann.key}\r\n\r\n`;
		socket.write(request(`${target}?wait=60`) + request('/health'));
		await waiting(1);
		await deliver('Hi');
		await vi.waitFor(() => expect(received).toContain('"status":"ok"'));
		expect(parseResponse(received).body).toContain('"subject":"Hi"');
		expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
	});
});

test('one mail answers a hundred polls and wakes no poll on another inbox', async () => {
	const {tinbox, ann, poll, deliver, waiting} = await openPolls();
	const second = await tinbox.services.inboxes.create(ann.user, {
		name: null,
		teamId: null,
		address: null,
		ttlSeconds: null,
	});
	const elsewhere = fetch(`${tinbox.url}/inboxes/${second.inbox.id}/messages?wait=60`, {
		headers: {'X-API-Key': ann.key},
	});
	const responses = Array.from({length: 100}, () => poll());
	await waiting(100);
	await deliver('All');
	for (const answer of await Promise.all(responses)) {
		expect(answer).toMatchObject({status: 200, body: [{subject: 'All'}]});
	}

	await waiting(0);
	expect(tinbox.services.feed.waiting(second.inbox.id)).toBe(1);
	await tinbox.deliver(second.inbox.address, mail('Else'));
	expect((await elsewhere).status).toBe(200);
});

test('consecutive polls miss no mail', async () => {
	const {poll, deliver} = await openPolls();
	const count = 60;
	const sending = (async () => {
		for (let number = 1; number <= count; number++) {
			await deliver(String(number));
		}
	})();
	const subjects: string[] = [];
	let after = '';
	while (subjects.length < count) {
		const rows = (await poll(`wait=20&limit=100${after}`)).body;
		subjects.push(...rows.map(({subject}) => subject).reverse());
		after = `&after=${rows[0]?.id}`;
	}

	await sending;
	expect(subjects).toEqual(Array.from({length: count}, (_, index) => String(index + 1)));
});

describe('a server that stops', () => {
	test('answers open polls, and rejects new requests on open connections', async () => {
		const {tinbox, poll, waiting} = await openPolls(await openTinbox());
		const socket = net.connect(tinbox.port, '127.0.0.1');
		let received = '';
		socket.on('data', chunk => {
			received += chunk;
		});
		const head = `POST /v1/inboxes HTTP/1.1\r\nHost: 127.0.0.1:${tinbox.port}\r\nX-API-Key: x\r\n`;
		socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n`);
		const responses = [poll(), poll()];
		await waiting(2);
		const stopped = tinbox.stopServer();
		for (const answer of responses) {
			expect(await answer).toEqual({status: 200, body: []});
		}

		socket.write('\r\n{}');
		await vi.waitFor(() => expect(received).toContain('"stopping"'));
		expect(parseResponse(received)).toMatchObject({status: 503, headers: {connection: 'close'}});
		await stopped;
		await expect(poll()).rejects.toThrow();
	});

	test('finishes active requests', async () => {
		const {tinbox, ann, deliver, target} = await openPolls(await openTinbox());
		for (let count = 0; count < 10; count++) {
			await deliver(`${count}`);
		}

		const answer = fetch(tinbox.url + target, {headers: {'X-API-Key': ann.key}});
		const [response] = await Promise.all([answer, answer.then(() => tinbox.stopServer())]);
		expect(await response.json()).toHaveLength(10);
	});
});
