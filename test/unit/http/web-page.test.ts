import {describe, expect, test} from 'vitest';
import {sendRaw} from '../../helpers/raw-http.js';
import {openTinbox} from '../../helpers/tinbox.js';

async function openPage() {
	const {port} = await openTinbox();
	const origin = `http://127.0.0.1:${port}`;
	const get = async (target: string, init: RequestInit = {}) => fetch(origin + target, {redirect: 'manual', ...init});
	const html = await (await get('/app/')).text();
	const assets = [...html.matchAll(/(?:src|href)="(\/app\/assets\/[^"]+)"/g)].map(([, target = '']) => target);
	return {port, get, html, assets};
}

async function getRaw(port: number, target: string, ...headers: readonly string[]) {
	const lines = [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...headers];
	return sendRaw(port, [...lines, '', ''].join('\r\n'));
}

describe('the web page', () => {
	test('is served at every unused path below /app/ and runs only its own assets', async () => {
		const {get, html} = await openPage();
		for (const target of ['/app/', '/app/mail', '/app/inboxes/in1/messages/m1?tab=text', '/app/x.html', '/app//v1']) {
			const response = await get(target);
			expect(response.status).toBe(200);
			expect(await response.text()).toBe(html);
			expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
			expect(response.headers.get('cache-control')).toBe('no-cache');
			expect(response.headers.get('x-content-type-options')).toBe('nosniff');
			expect(response.headers.get('content-security-policy')).toBe(
				"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
					"frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			);
		}

		expect(html).not.toMatch(/<script>|<style| style=| on\w+=/);
	});

	test('is redirected to from /app', async () => {
		const {get} = await openPage();
		const response = await get('/app?x=1');
		expect(response.status).toBe(302);
		expect(response.headers.get('location')).toBe('/app/?x=1');
	});

	test('has assets that are cached forever', async () => {
		const {get, assets} = await openPage();
		expect(assets).toHaveLength(2);
		for (const asset of assets) {
			const response = await get(asset);
			expect(response.status).toBe(200);
			expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
			expect(response.headers.get('content-type')).toMatch(/^text\/(?:javascript|css); charset=utf-8$/);
		}
	});

	test('is compressed if the client accepts it', async () => {
		const {port, assets} = await openPage();
		const [asset = ''] = assets;
		const plain = await getRaw(port, asset);
		expect(plain.headers).not.toHaveProperty('content-encoding');
		for (const coding of ['br', 'gzip']) {
			const {headers} = await getRaw(port, asset, `Accept-Encoding: ${coding}`);
			expect(headers).toMatchObject({'content-encoding': coding, vary: 'Accept-Encoding'});
			expect(Number(headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) / 2);
		}
	});

	test('is not sent again if the client has it', async () => {
		const {get, port} = await openPage();
		const etag = (await get('/app/')).headers.get('etag') ?? '';
		const {status, body} = await getRaw(port, '/app/mail', 'Accept-Encoding: gzip, br', `If-None-Match: ${etag}`);
		expect(status).toBe(304);
		expect(body).toBe('');
	});

	test('is not served for other methods, API paths and missing assets', async () => {
		const {get} = await openPage();
		const requests = [
			['POST', '/app/'],
			['DELETE', '/app/mail'],
			['GET', '/app/assets/none.js'],
			['GET', '/app/assets/'],
			['GET', '/app/assets/..%2findex.html'],
			['GET', '/application'],
			['GET', '/APP/'],
		] as const;
		for (const [method, target] of requests) {
			const response = await get(target, {method});
			expect(response.status, `${method} ${target}`).toBe(404);
			expect(response.headers.get('content-type')).toBe('application/problem+json');
		}

		expect((await get('/app/v1/inboxes')).headers.get('content-type')).toBe('application/problem+json');
	});
});
