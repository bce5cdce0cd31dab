import {expect, test} from 'vitest';
import {sendRaw} from '../../helpers/raw-http.js';
import {operatorToken} from '../../helpers/resources.js';
import {openTinbox} from '../../helpers/tinbox.js';

async function openMetrics() {
	const tinbox = await openTinbox({names: ['mail.example.com']});
	const {port} = tinbox;
	return {
		tinbox,
		/** `lines` are header fields; a Host field is added by default. */
		scrape: async (lines: readonly string[] = [], method = 'GET') => {
			const host = lines.some(line => /^host:/i.test(line)) ? [] : [`Host: 127.0.0.1:${port}`];
			return sendRaw(
				port,
				[`${method} /metrics HTTP/1.1`, 'Connection: close', ...host, ...lines, '', ''].join('\r\n'),
			);
		},
	};
}

const operator = `Authorization: Bearer ${operatorToken}`;

test('a program on the same machine reads the metrics without credentials', async () => {
	const {scrape, tinbox} = await openMetrics();
	const {status, headers, body} = await scrape();
	expect(status).toBe(200);
	expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
	expect(body).toContain('\ntinbox_build_info{');
	expect(await scrape([`Host: localhost:${tinbox.port}`])).toMatchObject({status: 200});
	expect(await scrape([], 'HEAD')).toMatchObject({status: 200, body: ''});
});

test.each([
	'Host: mail.example.com:PORT',
	'X-Forwarded-For: 203.0.113.5',
	'Forwarded: for=203.0.113.5',
	'X-Real-IP: 203.0.113.5',
	'Via: 1.1 proxy.example.com',
])('a request through a proxy (%s) needs the operator token', async line => {
	const {scrape, tinbox} = await openMetrics();
	const header = line.replace('PORT', String(tinbox.port));
	const {key} = await tinbox.user('ada', 'localhost');
	for (const credentials of [[], ['Authorization: Bearer wrong'], [`X-API-Key: ${key}`]]) {
		const {status, body} = await scrape([header, ...credentials]);
		expect(status).toBe(403);
		expect(JSON.parse(body)).toMatchObject({
			code: 'forbidden',
			detail: expect.stringContaining('requires the operator token'),
		});
	}

	expect(await scrape([header, operator])).toMatchObject({status: 200});
});

test('metrics are closed to web pages and read-only', async () => {
	const {scrape} = await openMetrics();
	expect(await scrape(['Origin: http://example.com', operator])).toMatchObject({status: 403});
	expect(await scrape(['Host: example.com', operator])).toMatchObject({status: 421});
	expect(await scrape(['Content-Length: 0'], 'POST')).toMatchObject({status: 405, headers: {allow: 'GET, HEAD'}});
});
