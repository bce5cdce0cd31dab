import {expect} from 'vitest';
import type {OpenedWebSessionBody} from '../../src/contract/keys.js';
import type {Tinbox} from './tinbox.js';

type Headers = Readonly<Record<string, string>>;

/** A client of the web app with the cookie and key of a web session. */
export class WebApp {
	readonly origin: string;
	/** Value of the `Cookie` header. */
	readonly cookie: string;
	readonly opened: OpenedWebSessionBody;

	private constructor(origin: string, cookie: string, opened: OpenedWebSessionBody) {
		this.origin = origin;
		this.cookie = cookie;
		this.opened = opened;
	}

	/** Logs in with an API key, a token or a login link. */
	static async open({url}: Pick<Tinbox, 'url'>, by: {key: string} | {token: string} | {link: string}): Promise<WebApp> {
		const {origin} = new URL(url);
		const response = await enter(origin, by);
		expect(response.status).toBe(201);
		const [cookie = ''] = (response.headers.get('Set-Cookie') ?? '').split(';');
		return new WebApp(origin, cookie, (await response.json()) as OpenedWebSessionBody);
	}

	/** The same browser session at another node, as behind a load balancer. */
	at({url}: Pick<Tinbox, 'url'>): WebApp {
		const {origin, port} = new URL(url);
		return new WebApp(origin, this.cookie.replace(/_\d+=/, `_${port}=`), this.opened);
	}

	get headers(): Headers {
		return {Cookie: this.cookie, 'X-Tinbox-App': this.opened.app_key};
	}

	/** Sends a request; the path begins with `/app`. */
	async request(method: string, path: string, {headers = {}, body}: {headers?: Headers; body?: object} = {}) {
		return fetch(this.origin + path, {
			method,
			headers: {...this.headers, ...headers, ...(body && {'Content-Type': 'application/json'})},
			...(body && {body: JSON.stringify(body)}),
			redirect: 'manual',
		});
	}

	async status(...request: Parameters<WebApp['request']>): Promise<number> {
		const response = await this.request(...request);
		await response.body?.cancel();
		return response.status;
	}
}

/** Requests a web session like the page. */
export async function enter(
	origin: string,
	by: {key: string} | {token: string} | {link: string; account?: string},
	headers: Headers = {'X-Tinbox-App': '1'},
): Promise<Response> {
	return fetch(`${origin}/app/session`, {
		method: 'POST',
		headers: {
			...headers,
			...('key' in by && {'X-API-Key': by.key}),
			...('token' in by && {Authorization: `Bearer ${by.token}`}),
			...('link' in by && {'Content-Type': 'application/json'}),
		},
		...('link' in by && {body: JSON.stringify({...by, link: by.link.replace(/^.*#enter=/, '')})}),
	});
}
