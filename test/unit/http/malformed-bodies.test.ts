import {once} from 'node:events';
import net from 'node:net';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {parseResponse, type RawResponse} from '../../helpers/raw-http.js';
import {operatorToken} from '../../helpers/resources.js';
import {mail, Tinbox} from '../../helpers/tinbox.js';
import {startRelay} from '../../helpers/wrong-relays.js';
import {routes} from './routes.js';

let tinbox: Tinbox;
let headers: readonly string[];
/** Ids of existing objects, by the names in paths. */
let ids: Readonly<Record<string, string>>;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	const {user, key} = await tinbox.user('ann', 'localhost');
	const {token} = await tinbox.services.credentials.issueToken(user.id, 600);
	const api = apiClient({url: tinbox.url, apiKey: key});
	const team = await apiClient({url: tinbox.url, token}).teams.create({name: 'Red'});
	const inbox = await api.inboxes.create();
	await tinbox.deliver(inbox.email_address, mail('Hi'));
	const endpoint = await api.webhooks.create({url: 'http://127.0.0.1:9/'});
	ids = {user: user.id, team: team.id, inbox: inbox.id, endpoint: endpoint.id};
	headers = [`X-API-Key: ${key}`, `Authorization: Bearer ${token}`];
});
afterAll(async () => tinbox.close());

/** Request body and the expected response. */
type Case = {
	readonly headers?: readonly string[];
	readonly body: string;
	readonly isSlow?: true;
	readonly status: number;
	/** Part of the expected problem. */
	readonly problem: object;
};

const type = 'Content-Type: application/json';
const mebibyte = 1024 * 1024;
const malformed = {status: 400, problem: {code: 'malformed'}};
const invalid = {status: 400, problem: {code: 'invalid_input'}};
const tooLarge = {status: 413, problem: {code: 'too_large'}};

/** Bodies with keys that could reach the prototype of an object, at the top level and nested. */
const prototypeKeys = ['__proto__', 'prototype', 'constructor', '\\u005f_proto__'].flatMap((key): Case[] => {
	const problem = {
		code: 'invalid_input',
		errors: [{field: JSON.parse(`"${key}"`), message: 'is not allowed as a field name'}],
	};
	return [`{"${key}":{"polluted":1}}`, `{"name":{"a":[{"${key}":{"polluted":1}}]}}`].map(body => ({
		body,
		status: 400,
		problem,
	}));
});

const cases: readonly Case[] = [
	...prototypeKeys,
	...['{', '{"name":', '[1', "{'a':1}", '\xff', '['.repeat(100_000)].map(body => ({body, ...malformed})),
	...['[]', '1', '"x"', 'null'].map(body => ({body, ...invalid})),
	{
		body: 'name=x',
		headers: ['Content-Type: text/plain', 'Content-Length: 6'],
		status: 415,
		problem: {code: 'unsupported_media_type'},
	},
	{body: '', headers: [type, 'Content-Length: 99999999999'], ...tooLarge},
	{body: `{"name":"${'x'.repeat(mebibyte)}"}`, ...tooLarge},
	{
		body: `200000\r\n${'x'.repeat(2 * mebibyte)}\r\n0\r\n\r\n`,
		headers: [type, 'Transfer-Encoding: chunked'],
		...tooLarge,
	},
	{body: '{"surely not a field":1}', isSlow: true, ...invalid},
];

describe.each(routes.filter(({body}) => body).map(({request}) => request))('%s', request => {
	test('rejects every malformed body with the reason', async () => {
		await Promise.all(cases.map(async testCase => expectRefused(tinbox.port, request, testCase)));
		expect(Object.keys(Object.prototype)).toEqual([]);
		expect(tinbox.logged).toEqual([]);
	});
});

test('the checks detect a proxy that renames keys', async () => {
	const relay = await startRelay({host: '127.0.0.1', port: tinbox.port}, 'sanitizing');
	const [testCase] = prototypeKeys;
	await expect(testCase && expectRefused(relay.port, 'POST /inboxes', testCase)).rejects.toThrow('to match object');
	await relay.close();
});

async function expectRefused(port: number, request: string, testCase: Case): Promise<void> {
	const response = await send(port, request, testCase);
	const start = testCase.body.slice(0, 60);
	expect(response.status, start).toBe(testCase.status);
	expect(JSON.parse(response.body), start).toMatchObject(testCase.problem);
}

async function send(port: number, request: string, {body, isSlow, ...testCase}: Case): Promise<RawResponse> {
	const [method, route = ''] = request.split(' ');
	const path = route.replaceAll(/:(\w+?)(?:Id)?\b/g, (_, name: string) => ids[name] ?? name);
	const caller = route.startsWith('/users') ? [`Authorization: Bearer ${operatorToken}`] : headers;
	const lines = [
		`${method} /v1${path} HTTP/1.1`,
		`Host: 127.0.0.1:${port}`,
		...caller,
		...(testCase.headers ?? [type, `Content-Length: ${Buffer.byteLength(body, 'latin1')}`]),
		'Connection: close',
	];
	const socket = net.connect(port, '127.0.0.1').setNoDelay(true);
	socket.on('error', () => {});
	let text = '';
	socket.setEncoding('utf8').on('data', chunk => {
		text += String(chunk);
	});
	const closed = once(socket, 'close');
	socket.write(`${lines.join('\r\n')}\r\n\r\n`);
	for (const piece of isSlow ? body : [body]) {
		await new Promise(resolve => socket.write(piece, 'latin1', resolve));
	}

	await closed;
	return parseResponse(text);
}
