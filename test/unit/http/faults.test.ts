import {beforeEach, expect, test} from 'vitest';
import {apiClient, type Client} from '../../../src/client/index.js';
import type {CreateFault} from '../../../src/contract/faults.js';
import type {FaultContext} from '../../../src/services/faults/engine.js';
import {operatorToken} from '../../helpers/resources.js';
import {openTinbox, type Person, type Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
let api: Client;
let inbox: {readonly id: string; readonly email_address: string};
beforeEach(async () => {
	tinbox = await openTinbox();
	ann = await tinbox.user('ann');
	api = apiClient({url: tinbox.url, apiKey: ann.key});
	inbox = await api.inboxes.create();
});

const later = {stage: 'rcpt', reply: '451 4.7.1 Try again later'} as const;

/** Problem in the response to a rejected body. */
async function problemOf(body: object, target = `/inboxes/${inbox.id}/faults`) {
	const response = await tinbox.request('POST', target, {key: ann.key, body});
	const {code, detail, errors} = (await response.json()) as {
		code: string;
		detail: string;
		errors?: ReadonlyArray<{field: string}>;
	};
	return {status: response.status, code, detail, fields: errors?.map(({field}) => field)};
}

function context(fields: Partial<FaultContext> = {}): FaultContext {
	return {
		stage: 'rcpt',
		client: {host: '127.0.0.1', helo: 'app'},
		user: null,
		inboxIds: [inbox.id],
		from: 'app@example.test',
		to: [inbox.email_address],
		...fields,
	};
}

test('a fault can be created, read, listed in the order of creation, and deleted', async () => {
	const match = {from: 'app@', to: '/^a/i'};
	const input: CreateFault = {
		...later,
		name: ' greylist ',
		match,
		times: 2,
		after: 1,
		per: 'recipient',
		delay_ms: 5,
		byte_delay_ms: 1,
		drop: 'mid',
		rate: {count: 3, seconds: 60},
		probability: 0.5,
		seed: 7,
		ttl: 60,
	};
	const created = await api.faults.create(inbox.email_address, input);
	const times = {expires_at: expect.any(String), created_at: expect.any(String)};
	expect(created).toEqual({
		...input,
		name: 'greylist',
		id: created.id,
		inbox_id: inbox.id,
		...times,
		seen: 0,
		hit_count: 0,
	});
	expect(Date.parse(created.expires_at ?? '') - Date.parse(created.created_at)).toBe(60_000);
	const plain = await api.faults.create(inbox.id, {stage: 'end', drop: 'after_commit'});
	const none = {name: null, match: null, reply: null, times: null, after: null, per: null, delay_ms: null, rate: null};
	expect(plain).toMatchObject({
		...none,
		byte_delay_ms: null,
		probability: null,
		seed: null,
		ttl: null,
		expires_at: null,
	});
	expect(await api.faults.list(inbox.id)).toEqual([created, plain]);
	expect(await api.faults.get(inbox.id, plain.id)).toEqual(plain);
	await api.faults.delete(inbox.id, created.id);
	await expect(api.faults.get(inbox.id, created.id)).rejects.toMatchObject({status: 404});
	await expect(api.faults.delete(inbox.id, created.id)).rejects.toMatchObject({status: 404});
	await api.faults.deleteAll(inbox.id);
	expect(await api.faults.list(inbox.id)).toEqual([]);
});

test('a fault with a probability gets a seed, so that a run can be repeated', async () => {
	const {seed} = await api.faults.create(inbox.id, {...later, probability: 1});
	expect(seed).toEqual(expect.any(Number));
});

test.each<[field: string, detail: RegExp, body: object]>([
	['stage', /must be "connect" or/, {reply: '451 Later'}],
	['stage', /must be "connect" or .* or "end"/, {...later, stage: 'quit'}],
	[
		'stage',
		/cannot be "connect" for an inbox: before AUTH, the inbox of a connection is unknown\. .* --daemon .* \/v1\/faults/,
		{...later, stage: 'connect'},
	],
	[
		'stage',
		/cannot be "helo" for an inbox: before AUTH, the inbox of a connection is unknown\. .* --daemon .* \/v1\/faults/,
		{...later, stage: 'helo'},
	],
	[
		'stage',
		/cannot be "starttls" for an inbox: before AUTH, the inbox of a connection is unknown\. .* --daemon .* \/v1\/faults/,
		{...later, stage: 'starttls'},
	],
	['reply', /must be a 4xx or 5xx code, .* "451 4\.7\.1 Try again later"/, {...later, reply: 'Later'}],
	['reply', /must be a 4xx or 5xx code/, {...later, reply: '250 2.0.0 Fine'}],
	['reply', /must be a 4xx or 5xx code/, {...later, reply: '451 4.7.1 Later\r\n250 Fine'}],
	['reply', /must be a 4xx or 5xx code, .* printable ASCII/, {...later, reply: '451 Später'}],
	[
		'reply',
		/the code 451 and the enhanced code 5\.7\.1 of another class\. Use 4\.7\.1, or another code/,
		{...later, reply: '451 5.7.1 No'},
	],
	[
		'reply',
		/the code 550 and the enhanced code 2\.0\.0 of another class\. Use 5\.0\.0/,
		{...later, reply: '550 2.0.0'},
	],
	['reply', /at most 400 characters/, {...later, reply: `451 ${'x'.repeat(400)}`}],
	['reply', /is required, unless "rate", "delay_ms", "byte_delay_ms" or "drop" is set/, {stage: 'rcpt'}],
	['reply', /is required, unless/, {stage: 'rcpt', delay_ms: 0, times: 3}],
	[
		'match.subject',
		/is not available at stage "rcpt"\. Remove it, or choose one of these stages: end/,
		{...later, match: {subject: 'a'}},
	],
	[
		'match.to',
		/is not available at stage "mail"\. Remove it, or choose one of these stages: rcpt, data, end/,
		{...later, stage: 'mail', match: {to: 'a'}},
	],
	['match.from', /must have 1 to 1000 characters/, {...later, match: {from: ''}}],
	['match.from', /is not a valid regular expression: missing "\)"/, {...later, match: {from: '/(/'}}],
	['match.header', /is unknown/, {...later, match: {header: 'a'}}],
	['times', /must be at least 1/, {...later, times: 0}],
	['times', /must be a whole number/, {...later, times: 1.5}],
	['after', /must be at least 0/, {...later, after: -1}],
	['per', /must be "recipient" or "message"/, {...later, per: 'session'}],
	['per', /can be "message" only at stage "end", but the stage is "rcpt"/, {...later, per: 'message'}],
	[
		'per',
		/can be "recipient" only at stage "rcpt", but the stage is "end"/,
		{...later, stage: 'end', per: 'recipient'},
	],
	['delay_ms', /must be at most 300000/, {...later, delay_ms: 300_001}],
	['byte_delay_ms', /must be at most 10000/, {...later, byte_delay_ms: 10_001}],
	['drop', /must be "before" or "mid" or "after_commit"/, {...later, drop: 'after'}],
	['drop', /can be "after_commit" only at stage "end", but the stage is "data"/, {stage: 'data', drop: 'after_commit'}],
	[
		'drop',
		/cannot be "after_commit" together with "reply".* Remove one of them/,
		{...later, stage: 'end', drop: 'after_commit'},
	],
	['rate.seconds', /is required/, {...later, rate: {count: 3}}],
	['rate.count', /must be at least 1/, {...later, rate: {count: 0, seconds: 1}}],
	['rate.count', /must be at most 250/, {...later, rate: {count: 251, seconds: 1}}],
	['rate.burst', /is unknown/, {...later, rate: {count: 3, seconds: 1, burst: 1}}],
	['probability', /must be more than 0/, {...later, probability: 0}],
	['probability', /must be at most 1/, {...later, probability: 1.1}],
	['seed', /must be a number/, {...later, probability: 0.5, seed: 'a'}],
	['ttl', /must be at least 1/, {...later, ttl: 0}],
	['name', /at most 100 characters/, {...later, name: 'x'.repeat(101)}],
	['once', /is unknown/, {...later, once: true}],
])('an invalid "%s" is rejected: %s', async (field, detail, body) => {
	const problem = await problemOf(body);
	expect(problem).toMatchObject({status: 400, code: 'invalid_input', fields: [field]});
	expect(problem.detail).toMatch(detail);
	expect(problem.detail).toContain(`"${field}"`);
	expect(await api.faults.list(inbox.id)).toEqual([]);
});

test('an inbox has at most a hundred faults', async () => {
	for (let index = 0; index < 100; index++) {
		await api.faults.create(inbox.id, later);
	}

	expect(await problemOf(later)).toEqual({
		status: 409,
		code: 'too_many_faults',
		detail: 'The inbox has 100 faults, the maximum. Delete one first.',
		fields: undefined,
	});
	await api.faults.delete(inbox.id, (await api.faults.list(inbox.id))[0]?.id ?? '');
	await api.faults.create(inbox.id, later);
});

test('faults of an inbox are visible only to users who can see the inbox', async () => {
	const bob = apiClient({url: tinbox.url, apiKey: (await tinbox.user('bob')).key});
	const {id} = await api.faults.create(inbox.id, later);
	const other = await bob.inboxes.create();
	const notFound = {status: 404, code: 'not_found'};
	for (const call of [
		async () => bob.faults.create(inbox.id, later),
		async () => bob.faults.list(inbox.id),
		async () => bob.faults.deleteAll(inbox.id),
		async () => bob.faults.hits(inbox.id),
		async () => bob.faults.get(other.id, id),
		async () => bob.faults.delete(other.id, id),
		async () => bob.faults.hits(other.id, {fault: id}),
	]) {
		await expect(call()).rejects.toMatchObject(notFound);
	}

	expect(await api.faults.list(inbox.id)).toHaveLength(1);
});

test('faults of the daemon are visible only to the operator and the local user', async () => {
	const connect = {stage: 'connect', reply: '421 4.3.2 Not now'} as const;
	await expect(api.faults.create(null, connect)).rejects.toMatchObject({status: 403, code: 'forbidden'});
	const local = apiClient({url: tinbox.url, apiKey: (await tinbox.user('me', 'localhost')).key});
	const operator = apiClient({url: tinbox.url, token: operatorToken});
	const first = await local.faults.create(null, connect);
	const second = await operator.faults.create(null, later);
	expect(first.inbox_id).toBeNull();
	for (const client of [local, operator]) {
		expect(await client.faults.list(null)).toEqual([first, second]);
		expect(await client.faults.hits(null, {fault: first.id})).toEqual({hits: [], total: 0, page: 1, limit: 20});
		await expect(client.faults.hits(null, {fault: 'none'})).rejects.toMatchObject({status: 404});
	}

	await expect(api.faults.get(inbox.id, first.id)).rejects.toMatchObject({status: 404});
	await expect(api.faults.list(null)).rejects.toMatchObject({status: 403});
	await operator.faults.delete(null, first.id);
	await local.faults.deleteAll(null);
	expect(await operator.faults.list(null)).toEqual([]);
});

test('fault hits are listed newest first and can be waited for', async () => {
	const {id} = await api.faults.create(inbox.id, {...later, name: 'grey', times: 3});
	const waiting = api.faults.wait(inbox.id, {fault: id, count: 3, timeoutMs: 30_000});
	for (const from of ['one@x.test', 'two@x.test', 'three@x.test', 'four@x.test']) {
		await tinbox.faultEngine.evaluate(context({from}));
	}

	const hits = await waiting;
	expect(hits.map(({envelope}) => envelope.from)).toEqual(['three@x.test', 'two@x.test', 'one@x.test']);
	expect(hits[0]).toEqual({
		id: expect.any(String),
		fault_id: id,
		name: 'grey',
		inbox_id: inbox.id,
		time: expect.stringMatching(/Z$/),
		stage: 'rcpt',
		client: {host: '127.0.0.1', helo: 'app'},
		user: null,
		envelope: {from: 'three@x.test', to: [inbox.email_address]},
		reply: '451 4.7.1 Try again later',
		drop: null,
		delay_ms: 0,
		message_id: null,
	});
	expect(await api.faults.get(inbox.id, id)).toMatchObject({seen: 4, hit_count: 3});
	expect(await api.faults.hits(inbox.id, {page: 2, limit: 2})).toEqual({hits: [hits[2]], total: 3, page: 2, limit: 2});
	expect(await api.faults.wait(inbox.id, {count: 5, timeoutMs: 10})).toHaveLength(3);
	await api.faults.delete(inbox.id, id);
	expect((await api.faults.hits(inbox.id)).total).toBe(3);
});

test('the misses of a wait include fault hits of the inbox, and for the local user fault hits of the daemon', async () => {
	const local = await tinbox.user('root', 'localhost');
	const localApi = apiClient({url: tinbox.url, apiKey: local.key});
	const {id: ofInbox} = await api.faults.create(inbox.id, {...later, times: 1});
	const {id: ofDaemon} = await localApi.faults.create(null, later);
	const since = new Date().toISOString();
	await tinbox.faultEngine.evaluate(context());
	await tinbox.faultEngine.evaluate(context());
	const missed = await api.messages.misses(inbox.id, {}, {since});
	expect(missed.hits).toMatchObject([{fault_id: ofInbox}]);
	expect((await api.messages.misses(inbox.id, {}, {since: '2999-01-01T00:00:00Z'})).hits).toEqual([]);
	const other = await localApi.inboxes.create();
	expect((await localApi.messages.misses(other.id, {}, {since})).hits).toMatchObject([{fault_id: ofDaemon}]);
});

test('a wait for hits gets 404 when the fault is deleted', async () => {
	const {id} = await api.faults.create(inbox.id, later);
	const waiting = api.faults.hits(inbox.id, {fault: id, wait: 30});
	const refused = expect(waiting).rejects.toMatchObject({status: 404});
	await expect.poll(() => tinbox.services.feed.waiting(`hits ${inbox.id}`)).toBe(1);
	await api.faults.delete(inbox.id, id);
	await refused;
});

test('faults, counts and hits survive a restart', async () => {
	const {id} = await api.faults.create(inbox.id, {...later, times: 3, after: 1, per: 'recipient'});
	const effects = [];
	for (let index = 0; index < 3; index++) {
		effects.push(await tinbox.faultEngine.evaluate(context()));
	}

	const restarted = await tinbox.restart();
	api = apiClient({url: restarted.url, apiKey: ann.key});
	expect(await api.faults.get(inbox.id, id)).toMatchObject({seen: 3, hit_count: 2});
	expect((await api.faults.hits(inbox.id)).total).toBe(2);
	effects.push(await restarted.faultEngine.evaluate(context()), await restarted.faultEngine.evaluate(context()));
	expect(effects.map(effect => effect?.reply?.code ?? null)).toEqual([null, 451, 451, 451, null]);
	await restarted.close();
});

test('an expired fault does not act and is not listed, also after a restart', async () => {
	let now = new Date();
	const timed = await openTinbox({now: () => now});
	const {key} = await timed.user('ann');
	const client = apiClient({url: timed.url, apiKey: key});
	const {id: inboxId} = await client.inboxes.create();
	const {id} = await client.faults.create(inboxId, {...later, ttl: 60});
	const longLived = await client.faults.create(inboxId, {...later, stage: 'end', ttl: 600});
	const trigger = async () => timed.faultEngine.evaluate(context({inboxIds: [inboxId]}));
	expect(await trigger()).not.toBeNull();
	now = new Date(now.getTime() + 60_000);
	expect(await trigger()).toBeNull();
	await expect(client.faults.get(inboxId, id)).rejects.toMatchObject({status: 404});
	expect(await client.faults.list(inboxId)).toEqual([longLived]);
	const restarted = await timed.restart();
	expect(restarted.faultEngine.mayAct('rcpt')).toBe(false);
	expect(restarted.faultEngine.mayAct('end')).toBe(true);
	await restarted.close();
});

test('an expired fault is removed and announced by an event', async () => {
	await api.faults.create(inbox.id, {...later, ttl: 1});
	const {events} = tinbox.store;
	const before = await events.end();
	await expect.poll(() => tinbox.faultEngine.mayAct('rcpt')).toBe(false);
	await expect
		.poll(async () => (await events.read(before, 10))?.items)
		.toMatchObject([{type: 'faults.changed', inbox: {id: inbox.id}}]);
});
