import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Page, Response} from 'playwright-core';
import {expect, onTestFinished} from 'vitest';
import {type WebWorld, webTest} from './web-world.js';

/** Paths of the app and the API that the foreign page requests. */
const paths = [
	'/app/session',
	'/app/v1/inboxes',
	'/app/v1/messages',
	'/app/v1/events',
	'/app/v1/users/me',
	'/app/v1/web-sessions',
	'/v1/web-sessions',
	'/v1/inboxes',
	'/app/',
	'/app/v1/../session',
	'//app/v1/inboxes',
	'/app%2fv1/inboxes',
];

/** Origins of the foreign page, without the port: same host, and other sites. */
const foreignOrigins = ['http://127.0.0.1', 'http://localhost', 'http://shop.localhost'];

/** Script that sends requests by all means of a page, with credentials, and returns what it could read. */
const attack = (site: string) => `(async () => {
	const site = ${JSON.stringify(site)};
	const paths = ${JSON.stringify(paths)};
	const got = [];
	const add = element => document.body.append(element);
	const create = (tag, fields) => add(Object.assign(document.createElement(tag), fields));
	const ask = async (path, options) => {
		try {
			const response = await fetch(site + path, {credentials: 'include', ...options});
			got.push(response.type === 'opaque' ? '' : await response.text());
		} catch {}
	};
	for (const path of paths) {
		await ask(path, {});
		await ask(path, {mode: 'no-cors'});
		await ask(path, {method: 'DELETE'});
		await ask(path, {method: 'POST', mode: 'no-cors', body: '{"name":"stolen"}'});
		await ask(path, {method: 'POST', headers: {'X-Tinbox-App': '1', 'Content-Type': 'application/json'}, body: '{"name":"stolen"}'});
		await ask(path, {method: 'POST', redirect: 'manual', body: new URLSearchParams({name: 'stolen'})});
		navigator.sendBeacon(site + path, '{"name":"stolen"}');
		create('img', {src: site + path});
		create('script', {src: site + path});
		create('script', {src: site + path, type: 'module', crossOrigin: 'use-credentials'});
		create('link', {rel: 'stylesheet', href: site + path});
		create('iframe', {src: site + path});
		create('object', {data: site + path});
		create('video', {src: site + path});
		const source = new EventSource(site + path, {withCredentials: true});
		source.onmessage = ({data}) => got.push(data);
		for (const enctype of ['text/plain', 'application/x-www-form-urlencoded']) {
			const target = 'form' + document.forms.length;
			create('iframe', {name: target});
			create('form', {action: site + path, method: 'POST', enctype, target, innerHTML: '<input name=name value=stolen>'});
			document.forms[document.forms.length - 1].submit();
		}
	}
	const frames = [...document.querySelectorAll('iframe, object')].map(frame => frame.contentDocument?.body?.innerText ?? '');
	return [...got, ...frames].filter(text => text !== '');
})()`;

/** Opens a page of another server, at an origin given without the port. */
async function openForeignPage(web: WebWorld, page: Page, origin: string): Promise<void> {
	const server = createServer((_, response) => {
		response.setHeader('Content-Type', 'text/html').end('<link rel="icon" href="data:,"><body>A shop</body>');
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close().closeAllConnections());
	web.tolerate(/./);
	await page.goto(`${origin}:${(server.address() as AddressInfo).port}/`);
}

webTest(
	'a page of another origin in the same browser gets 403 for every request and changes nothing',
	async ({web, page, person}) => {
		const inbox = await person.api.inboxes.create({name: 'private'});
		await web.send(inbox.email_address, {subject: 'Private'});
		const before = await person.api.inboxes.list();
		for (const origin of foreignOrigins) {
			const shop = await page.context().newPage();
			await openForeignPage(web, shop, origin);
			const answers: Response[] = [];
			shop.on('response', response => answers.push(response));
			expect(await shop.evaluate(attack(web.site)), origin).toEqual([]);
			const daemonResponses = answers.filter(response => response.url().startsWith(web.site));
			expect(daemonResponses.length).toBeGreaterThan(paths.length);
			expect(daemonResponses.filter(response => response.status() !== 403).map(response => response.url())).toEqual([]);
			await shop.close();
		}

		expect(await person.api.inboxes.list()).toEqual(before);
		// The user is still logged in.
		await page.reload();
		await page.getByRole('button', {name: 'Log out'}).waitFor();
	},
);
