import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import path from 'node:path';
import type {Page, Request} from 'playwright-core';
import {onTestFinished} from 'vitest';
import {openChromium} from '../../helpers/chromium.js';
import {tempDir} from '../../helpers/temp-dir.js';

/** Remote hosts `<name>.localhost`, all served by one server on loopback. */
export type Remote = {
	at(name: string): string;
	/** Names of the hosts that received a request. */
	readonly requested: ReadonlySet<string>;
	readonly referrers: ReadonlyArray<string | undefined>;
	/** Number of connections opened so far. */
	readonly connections: number;
};

export async function startRemote(): Promise<Remote> {
	const requested = new Set<string>();
	const referrers: Array<string | undefined> = [];
	let connections = 0;
	const server = createServer(({headers}, response) => {
		requested.add(headers.host?.split('.')[0] ?? '');
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
		requested,
		referrers,
		at: name => `http://${name}.localhost:${port}/`,
		get connections() {
			return connections;
		},
	};
}

/** The effects of a page during `observe`. */
export type Observed = {
	/** Requested URLs, except URLs of the page itself, `data:` URLs and URLs of the browser. */
	readonly requests: readonly string[];
	/** Console messages of scripts, and `dialog` for each dialog. */
	readonly ran: readonly string[];
	/** Names of the remote hosts that the browser resolved. */
	readonly hosts: readonly string[];
	readonly title: string;
};

/**
 * Opens a page in a new Chromium, runs `act` and reports the effects. URLs that begin with `own` are not reported. Use
 * `until: 'load'` for a page that holds a connection open, since it never becomes idle.
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
		// The dialog may already be closed with its frame.
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

/** A request that the content security policy blocks is reported by Chromium as failed with `csp` or `origin`. */
function isSent(request: Request, own: string): boolean {
	// `chrome:` URLs belong to the PDF viewer of the browser.
	const isOwn = [own, 'data:', 'chrome:', 'chrome-extension:'].some(start => request.url().startsWith(start));
	return !isOwn && !['csp', 'origin'].includes(request.failure()?.errorText ?? '');
}
