import {request} from 'node:http';
import net from 'node:net';
import fc from 'fast-check';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {ProblemBody} from '../../../src/contract/common.js';
import {parseResponse, sendRaw} from '../../helpers/raw-http.js';
import {type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

const json = 'application/json';

async function post(body: string | Buffer | undefined, type: string | undefined = json, encoding?: string) {
	const response = await fetch(`${tinbox.url}/inboxes`, {
		method: 'POST',
		headers: {
			'X-API-Key': ann.key,
			...(type !== undefined && {'Content-Type': type}),
			...(encoding !== undefined && {'Content-Encoding': encoding}),
		},
		...(body !== undefined && {body}),
	});
	const answer = (await response.json()) as Partial<ProblemBody>;
	return {status: response.status, type: response.headers.get('Content-Type'), body: answer};
}

test.each([json, 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"'])(
	'a body of type %s is accepted',
	async type => {
		expect(await post('{"name":"Signup"}', type)).toMatchObject({status: 201, body: {name: 'Signup'}});
	},
);

test('an optional body can be omitted, with and without a content type', async () => {
	expect((await post(undefined)).status).toBe(201);
	expect((await post('', json)).status).toBe(201);
	expect((await post('', 'text/plain')).status).toBe(201);
});

test.each([
	{type: 'text/plain'},
	{type: 'application/x-www-form-urlencoded'},
	{type: 'multipart/form-data'},
	{type: 'application/json; charset=utf-16'},
	{type: 'application/jsonp'},
	{type: 'application/problem+json'},
	{type: json, encoding: 'gzip'},
])('a body of $type ($encoding) is rejected', async ({type, encoding}) => {
	expect(await post('{}', type, encoding)).toMatchObject({
		status: 415,
		type: 'application/problem+json',
		body: {title: 'Unsupported Media Type', status: 415, code: 'unsupported_media_type'},
	});
});

test.each([
	{body: '{"name":', position: 'unexpected end.'},
	{body: '{"name": x}', position: 'position 9 '},
	{body: '{name: 1}', position: 'position 1 '},
	{body: '{"a":1}}', position: 'position 7 '},
	{body: "{'a':1}", position: 'position 1 '},
	{body: Buffer.from([0x7b, 0xff, 0x7d]), position: 'UTF-8'},
	{body: `${'['.repeat(300_000)}${']'.repeat(300_000)}`, position: ''},
])('an invalid JSON body is rejected with the position of the error: $position', async ({body, position}) => {
	const answer = await post(body);
	expect(answer).toMatchObject({status: 400, body: {title: 'Bad Request', status: 400, code: 'malformed'}});
	expect(answer.body.detail).toContain(position);
});

test.each(['null', '[]', '1', '"x"', 'true'])('a body of %s instead of an object is rejected', async body => {
	expect(await post(body)).toMatchObject({
		status: 400,
		body: {code: 'invalid_input', detail: 'The body must be a JSON object.'},
	});
});

test('each invalid field is named with its problem', async () => {
	const {status, body} = await post('{"name":7,"ttl":0.5,"colour":"red","team_id":false,"email_address":"a b"}');
	expect(status).toBe(400);
	expect(body).toEqual({
		title: 'Bad Request',
		status: 400,
		code: 'invalid_input',
		detail:
			'"name" must be a string; "team_id" must be a string; "email_address" must be an address, "*@domain", or "*"; ' +
			'"ttl" must be a whole number; "colour" is unknown.',
		errors: [
			{field: 'name', message: 'must be a string'},
			{field: 'team_id', message: 'must be a string'},
			{field: 'email_address', message: 'must be an address, "*@domain", or "*"'},
			{field: 'ttl', message: 'must be a whole number'},
			{field: 'colour', message: 'is unknown'},
		],
	});
});

test.each([
	['a lifetime above the maximum', '{"ttl":1e308}', '"ttl" must be at most 315360000 s.'],
	['a lifetime below the minimum', '{"ttl":-1e308}', '"ttl" must be at least 1 s.'],
	[
		'half a character in an address',
		'{"email_address":"\\ud800@x.test"}',
		'"email_address" must be an address, "*@domain", or "*".',
	],
])('%s is reported in one sentence', async (_title, body, detail) => {
	expect(await post(body)).toMatchObject({status: 400, body: {detail}});
});

test('only the first invalid fields are listed, with truncated names', async () => {
	const names = Array.from({length: 2000}, (_, index) => `${index}${'x'.repeat(500)}`);
	const {status, body} = await post(JSON.stringify(Object.fromEntries(names.map(name => [name, 1]))));
	expect({status, code: body.code}).toEqual({status: 400, code: 'invalid_input'});
	expect(body.errors?.length).toBe(20);
	expect(body.errors?.[0]).toEqual({field: names[0]?.slice(0, 100), message: 'is unknown'});
	expect(body.detail).toMatch(/; and more fields are invalid\.$/);
	expect(JSON.stringify(body).length).toBeLessThan(10_000);
});

test.each([
	['unknown fields', `{${Array.from({length: 70_000}, (_, index) => `"${index}":1`).join(',')}}`],
	['values', `{"name":[${'1,'.repeat(400_000)}1]}`],
	['arrays', `{"name":[${'[],'.repeat(300_000)}1]}`],
])('a body with too many %s is rejected before it is parsed', async (_, body) => {
	const answer = await post(body);
	expect(answer).toMatchObject({status: 400, body: {code: 'malformed'}});
	expect(answer.body.detail).toContain('more than 10000 commas and opening brackets');
});

test('a body that violates the schema never causes an internal error', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.jsonValue({maxDepth: 4}).filter(value => value !== null),
			async value => {
				const {status, body} = await post(JSON.stringify({name: value, ttl: value, email_address: value}));
				expect(status, body.detail).toBe(400);
				expect(body.errors).not.toEqual([]);
			},
		),
		{numRuns: 50},
	);
});

describe('a body of more than 1 MiB', () => {
	const tooLarge = {title: 'Payload Too Large', status: 413, code: 'too_large'};

	test('is rejected by its length before it is read', async () => {
		const lines = [
			'POST /v1/inboxes HTTP/1.1',
			`Host: 127.0.0.1:${tinbox.port}`,
			`X-API-Key: ${ann.key}`,
			`Content-Type: ${json}`,
			'Content-Length: 99999999999',
		];
		const answer = await sendRaw(tinbox.port, `${lines.join('\r\n')}\r\n\r\n`);
		expect(answer).toMatchObject({status: 413, headers: {connection: 'close'}});
		expect(JSON.parse(answer.body)).toMatchObject(tooLarge);
	});

	test('without a length is cut off at the limit', async () => {
		const {answer, written} = await sendEndless(200 * 1024 * 1024);
		expect(answer.status).toBe(413);
		expect(JSON.parse(answer.body)).toMatchObject(tooLarge);
		expect(written).toBeLessThan(20 * 1024 * 1024);
	});

	test('is answered even if the client sends it completely first', async () => {
		const status = await new Promise((resolve, reject) => {
			const headers = {'X-API-Key': ann.key, 'Content-Type': json};
			const sending = request(`${tinbox.url}/inboxes`, {method: 'POST', headers}, response => {
				response.resume();
				resolve(response.statusCode);
			});
			sending.once('error', reject);
			sending.end(JSON.stringify({name: 'x'.repeat(3 * 1024 * 1024)}));
		});
		expect(status).toBe(413);
	});

	test('is rejected from the first byte above the limit', async () => {
		const name = ' '.repeat(1024 * 1024 - '{"name":"x"}'.length);
		expect((await post(`{"name":"x${name}"}`)).body).toMatchObject({name: 'x'});
		expect((await post(`{"name":"x${name} "}`)).status).toBe(413);
	});
});

test('a slow body does not delay other requests', async () => {
	const socket = net.connect(tinbox.port, '127.0.0.1');
	const lines = [
		'POST /v1/inboxes HTTP/1.1',
		`Host: 127.0.0.1:${tinbox.port}`,
		`X-API-Key: ${ann.key}`,
		`Content-Type: ${json}`,
		'Content-Length: 15',
		'Connection: close',
	];
	socket.write(`${lines.join('\r\n')}\r\n\r\n`);
	for (const character of '{"name":"slow') {
		socket.write(character);
		expect((await post('{}')).status).toBe(201);
	}

	socket.write('"}');
	const chunks: Buffer[] = [];
	for await (const chunk of socket) {
		chunks.push(chunk);
	}

	expect(parseResponse(Buffer.concat(chunks).toString())).toMatchObject({status: 201});
});

test('an aborted body is not logged as an error', async () => {
	const socket = net.connect(tinbox.port, '127.0.0.1');
	const head = `POST /v1/inboxes HTTP/1.1\r\nHost: 127.0.0.1:${tinbox.port}\r\nX-API-Key: ${ann.key}\r\n`;
	await new Promise<void>(resolve => {
		socket.write(`${head}Content-Type: ${json}\r\nContent-Length: 100\r\n\r\n{"name`, () => resolve());
	});
	socket.destroy();
	expect((await post('{}')).status).toBe(201);
	expect(tinbox.logged).toEqual([]);
});

/** Sends an endless body until the server closes the connection or `atMost` bytes were written. */
async function sendEndless(atMost: number) {
	const socket = net.connect(tinbox.port, '127.0.0.1');
	const chunks: Buffer[] = [];
	const closed = new Promise<void>(resolve => {
		socket.on('data', chunk => chunks.push(chunk));
		socket.on('error', () => {});
		socket.on('close', () => resolve());
	});
	socket.write(
		`POST /v1/inboxes HTTP/1.1\r\nHost: 127.0.0.1:${tinbox.port}\r\nX-API-Key: ${ann.key}\r\n` +
			`Content-Type: ${json}\r\nTransfer-Encoding: chunked\r\n\r\n`,
	);
	const piece = `10000\r\n${' '.repeat(0x10000)}\r\n`;
	let written = 0;
	while (written < atMost && !socket.destroyed) {
		written += piece.length;
		if (!socket.write(piece)) {
			await Promise.race([closed, new Promise(resolve => socket.once('drain', resolve))]);
		}
	}

	await closed;
	return {answer: parseResponse(Buffer.concat(chunks).toString()), written};
}
