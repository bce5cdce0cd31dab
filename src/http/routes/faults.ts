import type {ServerResponse} from 'node:http';
import type {Context} from 'koa';
import type {z} from 'zod';
import type {listFaultHitsSchema} from '../../contract/faults.js';
import type {User} from '../../domain/accounts/user.js';
import {hitTopic} from '../../domain/feed.js';
import type {FaultPlace} from '../../services/faults/faults.js';
import {callers} from '../auth.js';
import {beginJson} from '../json-answer.js';
import {faultOperations} from '../operations/faults.js';
import type {Polls} from '../polls.js';
import {faultBody, faultHitListBody} from '../present/faults.js';
import {operator, type Routes} from '../routing.js';
import type {Services} from '../services.js';

type FaultOperations = (typeof faultOperations)[keyof typeof faultOperations];

/** Those of an inbox are for whoever sees it, those of the daemon for its operator and the local user. */
export function addFaultRoutes(routes: Routes, services: Services, polls: Polls): void {
	addCollection(routes, services, polls, faultOperations.ofInbox);
	addCollection(routes, services, polls, faultOperations.ofDaemon);
}

function addCollection(
	routes: Routes,
	{credentials, faults}: Services,
	polls: Polls,
	operations: FaultOperations,
): void {
	routes.add(operations.create, async ({user, params, body}) => {
		const {delay_ms: delayMs, byte_delay_ms: byteDelayMs, ttl: ttlSeconds, ...others} = body;
		return faultBody(await faults.create(placeOf(user, params.inboxId), {...others, delayMs, byteDelayMs, ttlSeconds}));
	});

	routes.add(operations.list, async ({user, params}) => {
		return {faults: (await faults.list(placeOf(user, params.inboxId))).map(faultBody)};
	});

	routes.add(operations.deleteAll, async ({user, params}) => faults.deleteAll(placeOf(user, params.inboxId)));

	const answerHits = async (
		{req, res}: Context,
		user: User | undefined,
		query: z.output<typeof listFaultHitsSchema>,
		{inboxId: inboxName, faultId}: {readonly inboxId: string; readonly faultId?: string},
	) => {
		const {wait, count, ...page} = query;
		const inboxId = await faults.inboxId(placeOf(user, inboxName));
		// Who asks is identified at each attempt: a key can be revoked in between.
		const attempt = async (isLast: boolean) => {
			const caller = await callers[operations.hits.caller]({req, res}, credentials);
			const rows = await faults.hits(placeOf(caller, inboxId), page, faultId);
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
	routes.add(operations.allHits, async ({ctx, user, query, params}) => {
		await answerHits(ctx, user, query, params);
		ctx.respond = false;
	});

	routes.add(operations.hits, async ({ctx, user, query, params}) => {
		await answerHits(ctx, user, query, params);
		ctx.respond = false;
	});

	routes.add(operations.get, async ({user, params}) => {
		return faultBody(await faults.get(placeOf(user, params.inboxId), params.faultId));
	});

	routes.add(operations.delete, async ({user, params}) => {
		await faults.delete(placeOf(user, params.inboxId), params.faultId);
	});
}

/** Where the faults are: those of an inbox always have a user who sees it. */
function placeOf(user: User | undefined, inboxName: string | null | undefined): FaultPlace {
	return user && inboxName != null ? {user, inboxName} : null;
}

function answer(response: ServerResponse, body: object): void {
	const text = JSON.stringify(body);
	beginJson(response);
	response.setHeader('Content-Length', Buffer.byteLength(text));
	response.end(text);
}
