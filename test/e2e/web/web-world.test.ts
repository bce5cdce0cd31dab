import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, onTestFinished} from 'vitest';
import {webTest} from './web-world.js';

/** Serves a page with a content security policy as strict as the policy of the app. */
async function startPage(script: string): Promise<string> {
	const server = createServer((_, response) => {
		response.setHeader('Content-Type', 'text/html');
		response.setHeader(
			'Content-Security-Policy',
			"default-src 'none'; script-src 'nonce-own'; img-src data:; connect-src *",
		);
		response.end(`<link rel="icon" href="data:,"><body><script nonce="own">${script}</script>`);
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close().closeAllConnections());
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

webTest('WebWorld detects console errors, policy violations, uncaught errors and foreign requests', async ({web}) => {
	const page = await (await web.browser()).newPage();
	const site = await startPage(`
		console.error('an error');
		document.body.setAttribute('onclick', '0');
		fetch('http://localhost:9/').catch(() => {});
		setTimeout(() => { throw new Error('thrown') });
	`);
	expect(web.problems).toEqual([]);
	await page.goto(site, {waitUntil: 'networkidle'});
	const expected = [
		/an error/,
		/Content Security Policy/,
		/asked http:\/\/localhost:9\//,
		/thrown/,
		/ERR_/,
		/asked .*127/,
	];
	await expect.poll(() => expected.filter(pattern => !web.problems.some(problem => pattern.test(problem)))).toEqual([]);
	web.tolerate(...expected);
});
