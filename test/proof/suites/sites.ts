import {sendRaw} from '../../helpers/raw-http.js';
import {foreign, own, type Spelling} from '../../helpers/site-spellings.js';
import {routes} from '../requests/routes.js';
import {openWorld, type World} from '../requests/world.js';
import type {Proven} from '../start.js';

/** Ways to spell a path that some server somewhere takes for the same one. */
const paths: Readonly<Record<string, (path: string) => string>> = {
	'a character encoded': path => path.replace('v1', '%761'),
	'every character encoded': path => path.replaceAll(/[a-z]/g, character => `%${character.charCodeAt(0).toString(16)}`),
	'encoded twice': path => path.replace('v1', '%25761'),
	'an encoded slash': path => path.replace('v1/', 'v1%2F'),
	'two slashes': path => `/${path}`,
	'a slash behind': path => `${path}/`,
	'a dot': path => path.replace('v1/', 'v1/./'),
	'a way up': path => `/x/..${path}`,
	'an encoded way up': path => `/x/%2e%2e${path}`,
	'a backslash': path => path.replace('/v1/', '\\v1\\'),
	'capital letters': path => path.toUpperCase(),
	'a zero byte': path => `${path}%00`,
	'a parameter': path => `${path};x=y`,
	'an extension': path => `${path}.json`,
};

export type SiteCounts = {
	routes: number;
	requests: number;
	/** Of another site, and not refused as such. */
	admitted: number;
	/** Of our own, and refused. */
	shutOut: number;
	/** Opened a route without credentials, by the spelling of its path. */
	opened: number;
	failed: number;
	errors: number;
	stalls: number;
};

/** Each host, origin and path that a page or a trick would send, to every route. */
export async function visit(daemon: Proven, {every = 1, progress = (_: string) => {}} = {}): Promise<SiteCounts> {
	const chosen = routes.filter((_, index) => index % every === 0);
	const world = await openWorld(daemon);
	const counts = {routes: chosen.length, requests: 0, admitted: 0, shutOut: 0, opened: 0, failed: 0};
	await daemon.report();
	for (const {request} of chosen) {
		const ask = async (spelling: Spelling, credentials: readonly string[]) => {
			const status = await statusOf(daemon, request, spelling, credentials);
			counts.requests++;
			counts.failed += status === 0 || status >= 500 ? 1 : 0;
			return status;
		};
		for (const spelling of Object.values(foreign)) {
			counts.admitted += [400, 403, 421].includes(await ask(spelling, credentialsOf(world))) ? 0 : 1;
		}

		for (const spelling of Object.values(own)) {
			counts.shutOut += [403, 421].includes(await ask(spelling, [])) ? 1 : 0;
		}

		for (const respell of isOpen(request) ? [] : Object.values(paths)) {
			const status = await ask(({own, path}) => ({target: respell(path), headers: [`Host: ${own}`]}), []);
			counts.opened += status >= 200 && status < 400 ? 1 : 0;
		}

		progress(`${request}: ${JSON.stringify(counts)}`);
	}

	world.client.close();
	world.operator.close();
	const {errors, stalls} = await daemon.report();
	return {...counts, errors: errors.length, stalls};
}

/** Routes that need no credentials, or whose address is one. */
function isOpen(request: string): boolean {
	return request === 'GET /health' || request.includes('/previews/');
}

function credentialsOf({client}: World): readonly string[] {
	return Object.entries(client.headers).map(pair => pair.join(': '));
}

/** 0 when there is no answer. */
async function statusOf(
	{url}: Proven,
	request: string,
	spelling: Spelling,
	credentials: readonly string[],
): Promise<number> {
	const [method, route = ''] = request.split(' ');
	const {host, port} = new URL(url);
	const path = `/v1${route}`;
	const {target = path, version = '1.1', headers} = spelling({own: host, port: Number(port), path});
	const lines = [`${method} ${target} HTTP/${version}`, ...headers, ...credentials, 'Connection: close', '', ''];
	return (await sendRaw(Number(port), lines.join('\r\n')).catch(() => ({status: 0}))).status || 0;
}
