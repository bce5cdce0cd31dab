import fc from 'fast-check';
import {routes} from '../../../unit/http/routes.js';
import type {Answer} from '../client.js';
import {type RandomRequest, randomRequest} from '../requests/random.js';
import {openWorld, type World} from '../requests/world.js';
import type {TestDaemon} from '../start.js';

export type RequestCounts = {
	routes: number;
	requests: number;
	/** Answered with 2xx, which proves that the generator produces valid requests. */
	done: number;
	/** Answered with 5xx, or without a response. */
	failed: number;
	/** Responses with the wrong format. */
	misshapen: number;
	/** Logged as errors by the daemon. */
	errors: number;
	/** Times that the event loop was blocked for 50 ms. */
	stalls: number;
};

/** Requests per world, since they soon delete its resources. */
const requestsPerWorld = 50;

export type RequestOptions = {
	readonly perRoute?: number;
	readonly seed?: number;
	/** Routes to test, such as `POST /inboxes`. */
	readonly only?: readonly string[];
	readonly progress?: (text: string) => void;
};

/** Sends random requests from the schemas to every route. Each response must have the right format and no 5xx status. */
export async function sendRandomRequests(daemon: TestDaemon, options: RequestOptions = {}): Promise<RequestCounts> {
	const {perRoute = 20, seed = 1, only, progress = () => {}} = options;
	const chosen = routes.filter(({request}) => only?.includes(request) ?? true);
	const counts = {routes: chosen.length, requests: 0, done: 0, failed: 0, misshapen: 0, errors: 0, stalls: 0};
	await daemon.report();
	for (const [index, route] of chosen.entries()) {
		const requests = fc.sample(randomRequest(route), {numRuns: perRoute, seed: seed + index});
		while (requests.length > 0) {
			const world = await openWorld(daemon);
			const some = requests.splice(0, requestsPerWorld);
			await Promise.all(some.map(async request => judge(request, await send(world, request), counts, progress)));
			world.client.close();
			world.operator.close();
		}

		progress(`${route.request}: ${JSON.stringify(counts)}`);
	}

	const {errors, stalls} = await daemon.report();
	errors.forEach(progress);
	return {...counts, errors: errors.length, stalls};
}

/** Sends a request; undefined if there is no response. */
function send({client, operator, ids}: World, {method, path, body}: RandomRequest): Promise<Answer | undefined> {
	const caller = path.startsWith('/users') && path !== '/users/me' ? operator : client;
	const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? name);
	const filledBody: unknown = body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body)));
	return caller.send(method, fill(path), filledBody).catch(() => undefined);
}

function judge(
	{method, path, body}: RandomRequest,
	answer: Answer | undefined,
	counts: RequestCounts,
	progress: (text: string) => void,
): void {
	counts.requests++;
	const status = answer?.status ?? 0;
	counts.done += status >= 200 && status < 300 ? 1 : 0;
	if (!answer || status >= 500) {
		counts.failed++;
		progress(`${method} ${path} ${JSON.stringify(body)} answered ${status} ${answer?.bytes}`);
	} else if (!hasRightForm(answer)) {
		counts.misshapen++;
		progress(`${method} ${path} ${JSON.stringify(body)} answered ${status} ${answer.bytes}`);
	}
}

/** True if JSON can be parsed, and errors are problem documents (RFC 9457) with the right status. */
function hasRightForm({status, headers, bytes}: Answer): boolean {
	const type = headers['content-type'] ?? '';
	try {
		const value: unknown = /json/.test(type) ? JSON.parse(String(bytes)) : undefined;
		const bodyStatus = typeof value === 'object' && value !== null && 'status' in value ? value.status : undefined;
		return status < 400 || (type === 'application/problem+json' && bodyStatus === status);
	} catch {
		return false;
	}
}
