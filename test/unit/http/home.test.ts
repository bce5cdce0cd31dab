import {expect, test} from 'vitest';
import {sendRaw} from '../../helpers/raw-http.js';
import {openTinbox} from '../../helpers/tinbox.js';

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test('a browser is redirected from / to the web app', async () => {
	const tinbox = await openTinbox();
	for (const method of ['GET', 'HEAD']) {
		const request = {method, headers: {accept}, redirect: 'manual'} as const;
		const response = await fetch(`http://127.0.0.1:${tinbox.port}/`, request);
		expect(response.status).toBe(302);
		expect(response.headers.get('Location')).toBe('/app/');
		expect(response.headers.get('Vary')).toBe('Accept');
	}
});

test('other clients and other paths get 404', async () => {
	const tinbox = await openTinbox();
	const requests = [
		...[{}, {accept: '*/*'}, {accept: 'application/json, text/plain, */*'}].map(headers => ({path: '/', headers})),
		...['/favicon.ico', '/v1', '/x'].map(path => ({path, headers: {accept}})),
		{path: '/', headers: {accept}, method: 'POST'},
	];
	for (const {path, ...request} of requests) {
		const response = await fetch(`http://127.0.0.1:${tinbox.port}${path}`, request);
		expect(response.status).toBe(404);
		expect(response.headers.get('Content-Type')).toBe('application/problem+json');
	}
});

test('a foreign host or a foreign page is not redirected', async () => {
	const {port} = await openTinbox();
	const send = async (...headers: string[]) =>
		sendRaw(port, ['GET / HTTP/1.1', `Accept: ${accept}`, 'Connection: close', ...headers, '', ''].join('\r\n'));
	expect((await send(`Host: evil.example:${port}`)).status).toBe(421);
	expect((await send(`Host: 127.0.0.1:${port}`, 'Sec-Fetch-Site: cross-site')).status).toBe(403);
	expect((await send(`Host: 127.0.0.1:${port}`, 'Sec-Fetch-Site: none')).status).toBe(302);
});
