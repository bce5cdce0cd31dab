import {expect, test} from 'vitest';
import {operationGroups} from '../../../../src/http/api/index.js';
import {describeApi} from '../../../../src/http/openapi/document.js';
import {Conformance} from '../../../compat/api/conformance.js';
import {watchResponses} from '../../../compat/api/responses.js';
import {sendRaw} from '../../../helpers/raw-http.js';
import {openTinbox} from '../../../helpers/tinbox.js';

const document = JSON.parse(JSON.stringify(describeApi(operationGroups)));

test('the OpenAPI document is public and cached by its ETag', async () => {
	const tinbox = await openTinbox();
	const response = await tinbox.request('GET', '/openapi.json');
	expect(response.status).toBe(200);
	expect(response.headers.get('Content-Type')).toContain('application/json');
	expect(await response.json()).toEqual(document);
	const tag = response.headers.get('ETag') ?? '';
	const lines = [
		'GET /v1/openapi.json HTTP/1.1',
		`Host: 127.0.0.1:${tinbox.port}`,
		'Connection: close',
		`If-None-Match: ${tag}`,
	];
	const again = await sendRaw(tinbox.port, `${lines.join('\r\n')}\r\n\r\n`);
	expect([again.status, again.body]).toEqual([304, '']);
});

test('the OpenAPI document has only valid references and unique operation ids', () => {
	const text = JSON.stringify(document);
	for (const [, kind = '', name = ''] of text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w.]+)"/g)) {
		expect(Object.keys(document.components[kind])).toContain(name);
	}

	const ids = operationGroups.flatMap(({operations}) => operations.map(({id}) => id));
	expect(new Set(ids).size).toBe(ids.length);
});

test('the OpenAPI document has examples that the schemas accept', () => {
	for (const {body, example, route} of operationGroups.flatMap(({operations}) => operations)) {
		expect(body === undefined || body.safeParse(example).success, route).toBe(true);
	}
});

test('a created object can be read at its Location', async () => {
	const tinbox = await openTinbox();
	const {key} = await tinbox.user('ann');
	const created = await tinbox.request('POST', '/inboxes', {key, body: {}});
	const location = created.headers.get('Location') ?? '';
	const read = await fetch(new URL(location, tinbox.url), {headers: {'X-API-Key': key}});
	const {smtp: _, ...inbox} = (await created.json()) as {id: string; smtp: object};
	expect(location).toBe(`/v1/inboxes/${inbox.id}`);
	expect(await read.json()).toEqual(inbox);
});

test('a method of a route with parameters is not allowed on a fixed path', async () => {
	const tinbox = await openTinbox();
	const {key} = await tinbox.user('ann');
	for (const [method, path, allow] of [
		['DELETE', '/inboxes/keys', 'POST, HEAD, GET, OPTIONS'],
		['DELETE', '/users/me', 'HEAD, GET, OPTIONS'],
		['DELETE', '/faults/hits', 'HEAD, GET, OPTIONS'],
	] as const) {
		const response = await tinbox.request(method, path, {key});
		expect([path, response.status, response.headers.get('Allow')]).toEqual([path, 405, allow]);
	}
});

test('a response with an undocumented field or status is detected', async () => {
	const tinbox = await openTinbox();
	const seen: string[] = [];
	const conformance = new Conformance();
	const stop = watchResponses(({body, ...response}) => {
		const changed = body.replace(/^\{/, '{"surprise":1,');
		seen.push(conformance.problemOf({...response, body: changed}) ?? 'nothing');
		seen.push(conformance.problemOf({...response, status: 202, body}) ?? 'nothing');
		seen.push(conformance.problemOf({...response, body}) ?? 'nothing');
	});
	await tinbox.request('GET', '/health');
	await expect.poll(() => seen.length).toBe(3);
	stop();
	expect(seen[0]).toContain('additional properties');
	expect(seen[1]).toContain('the status is not described');
	expect(seen[2]).toBe('nothing');
});
