import type {ServerResponse} from 'node:http';
import type {Context} from 'koa';
import type {FaultListBody} from '../../contract/faults.js';
import {hitTopic} from '../../domain/feed-item.js';
import type {User} from '../../domain/user.js';
import type {FaultPlace} from '../../services/faults/faults.js';
import {type Exchange, localUserOrOperator, userByKey} from '../auth.js';
import {readQuery} from '../input.js';
import {beginJson} from '../json-answer.js';
import type {Polls} from '../polls.js';
import {faultBody, faultHitListBody} from '../present/faults.js';
import {operator, type RoutesFor} from '../routing.js';
import {createFault, listFaultHits} from '../schemas/faults.js';
import type {Services} from '../services.js';

/** Where faults are, who may call there, and whose they are then. */
type Collection<Caller extends User | undefined> = {
	readonly base: '/inboxes/:inboxId/faults' | '/faults';
	readonly identify: (exchange: Exchange) => Promise<Caller>;
	readonly placeOf: (caller: Caller, inboxName: string) => FaultPlace;
};

/** Those of an inbox are for whoever sees it, those of the daemon for its operator and the local user. */
export function addFaultRoutes(routesFor: RoutesFor, services: Services, polls: Polls): void {
	const {credentials} = services;
	addCollection(routesFor, services, polls, {
		base: '/inboxes/:inboxId/faults',
		identify: async exchange => userByKey(exchange, credentials),
		placeOf: (user, inboxName) => ({user, inboxName}),
	});
	addCollection(routesFor, services, polls, {
		base: '/faults',
		identify: async exchange => localUserOrOperator(exchange, credentials),
		placeOf: () => null,
	});
}

function addCollection<Caller extends User | undefined>(
	routesFor: RoutesFor,
	{faults}: Services,
	polls: Polls,
	{base, identify, placeOf}: Collection<Caller>,
): void {
	const routes = routesFor(identify);
	const single = `${base}/:faultId` as const;
	routes.create(base, async ({user, params, readBody}) => {
		const {delay_ms: delayMs, byte_delay_ms: byteDelayMs, ttl: ttlSeconds, ...others} = await readBody(createFault);
		return faultBody(await faults.create(placeOf(user, params.inboxId), {...others, delayMs, byteDelayMs, ttlSeconds}));
	});

	routes.get(base, async ({user, params}) => {
		return {faults: (await faults.list(placeOf(user, params.inboxId))).map(faultBody)} satisfies FaultListBody;
	});

	routes.delete(base, async ({ctx, user, params}) => {
		await faults.deleteAll(placeOf(user, params.inboxId));
		ctx.status = 204;
	});

	const answerHits = async ({req, res, query}: Context, user: Caller, inboxName: string, faultId?: string) => {
		const {wait, count, ...page} = readQuery({query}, listFaultHits);
		const inboxId = await faults.inboxId(placeOf(user, inboxName));
		// Who asks is identified at each attempt: a key can be revoked in between.
		const attempt = async (isLast: boolean) => {
			const place = placeOf(await identify({req, res}), inboxId ?? '');
			const rows = await faults.hits(place, page, faultId);
			if (rows.total < count && !isLast) {
				return false;
			}

			answer(res, faultHitListBody(rows, page));
			return true;
		};
		const userId = user?.id ?? operator;
		await polls.hold(res, {userId, topics: [hitTopic(inboxId), inboxId ?? '', userId], seconds: wait, attempt});
	};
	// Before the single ones: "hits" is no fault.
	routes.get(`${base}/hits`, async ({ctx, user, params}) => {
		await answerHits(ctx, user, params.inboxId);
		ctx.respond = false;
	});

	routes.get(`${single}/hits`, async ({ctx, user, params}) => {
		await answerHits(ctx, user, params.inboxId, params.faultId);
		ctx.respond = false;
	});

	routes.get(single, async ({user, params}) => {
		return faultBody(await faults.get(placeOf(user, params.inboxId), params.faultId));
	});

	routes.delete(single, async ({ctx, user, params}) => {
		await faults.delete(placeOf(user, params.inboxId), params.faultId);
		ctx.status = 204;
	});
}

function answer(response: ServerResponse, body: object): void {
	const text = JSON.stringify(body);
	beginJson(response);
	response.setHeader('Content-Length', Buffer.byteLength(text));
	response.end(text);
}
