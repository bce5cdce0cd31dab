import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import path from 'node:path';
import type {Page, Request} from 'playwright-core';
import {onTestFinished} from 'vitest';
import {openChromium} from '../../helpers/chromium.js';
import {tempDir} from '../../helpers/temp-dir.js';

/** Hosts elsewhere, `<name>.localhost`, all of which are one server on loopback. */
export type Remote = {
	at(name: string): string;
	/** Names of the hosts that were asked for something. */
	readonly asked: ReadonlySet<string>;
	readonly referrers: ReadonlyArray<string | undefined>;
	/** How many connections were opened. */
	readonly connections: number;
};

export async function startRemote(): Promise<Remote> {
	const asked = new Set<string>();
	const referrers: Array<string | undefined> = [];
	let connections = 0;
	const server = createServer(({headers}, response) => {
		asked.add(headers.host?.split('.')[0] ?? '');
		referrers.push(headers.referer);
		response.setHeader('Content-Type', 'text/html').end();
	});
	server.on('connection', () => {
		connections += 1;
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.close().closeAllConnections();
	});
	const {port} = server.address() as AddressInfo;
	return {
		asked,
		referrers,
		at: name => `http://${name}.localhost:${port}/`,
		get connections() {
			return connections;
		},
	};
}

/** What a page did while somebody looked at it and clicked. */
export type Observed = {
	/** Addresses that were loaded, those of the page itself, of `data:` and of the browser left out. */
	readonly requests: readonly string[];
	/** What scripts said, and the dialogs that they opened. */
	readonly ran: readonly string[];
	/** Names of remote hosts that the browser looked up. */
	readonly hosts: readonly string[];
	readonly title: string;
};

/**
 * Opens a page, lets it do what it wants, and does with it as a reader does. What begins with `own` is no request to anybody
 * else. A page that holds a connection open is never idle.
 */
export async function observe(
	url: string,
	act: (page: Page) => Promise<void> = async () => {},
	{own = url, until = 'networkidle'}: {readonly own?: string; readonly until?: 'load' | 'networkidle'} = {},
): Promise<Observed> {
	const log = path.join(await tempDir(), 'net-log.json');
	const browser = await openChromium([`--log-net-log=${log}`]);
	const requests: Request[] = [];
	const ran: string[] = [];
	browser.on('request', request => requests.push(request));
	browser.on('console', message => message.text().startsWith('ran ') && ran.push(message.text()));
	browser.on('dialog', dialog => {
		ran.push('dialog');
		// It may have gone together with its frame.
		dialog.dismiss().catch(() => {});
	});
	const page = await browser.newPage();
	await page.goto(url, {waitUntil: until});
	await act(page);
	const title = await page.title();
	await browser.close();
	const hosts = (await readFile(log, 'utf8')).matchAll(/([a-z-]+)\.localhost/g);
	return {
		requests: requests.filter(request => isSent(request, own)).map(request => request.url()),
		ran,
		hosts: [...new Set(Array.from(hosts, ([, name = '']) => name))],
		title,
	};
}

/** What the policy of the page refuses counts as a request, too, but as one that failed for that reason. */
function isSent(request: Request, own: string): boolean {
	// The viewer of PDF files is a part of the browser.
	const isOwn = [own, 'data:', 'chrome:', 'chrome-extension:'].some(start => request.url().startsWith(start));
	return !isOwn && !['csp', 'origin'].includes(request.failure()?.errorText ?? '');
}
