import type {Context} from 'koa';
import type {z} from 'zod';
import {
	createFaultSchema,
	type FaultBody,
	type FaultHitBody,
	type FaultHitListBody,
	faultHitListSchema,
	faultListSchema,
	faultSchema,
	listFaultHitsSchema,
} from '../../contract/faults.js';
import type {User} from '../../domain/accounts/user.js';
import type {CountedFault, FaultHit} from '../../domain/faults/fault.js';
import {hitTopic} from '../../domain/feed.js';
import type {FaultOwner} from '../../services/faults/faults.js';
import type {Polls} from '../server/polls.js';
import {sendJson} from '../server/responses.js';
import type {Services} from '../services.js';
import {callers} from './auth.js';
import type {Operation} from './operation.js';
import {noUserKey, type Routes} from './routing.js';

const hits =
	'The newest hit is listed first. With `wait`, the request is held open until there are `count` hits or the time is over.';

/** Owner of faults: its part of operation ids, its name in sentences, and its argument of CLI commands. */
type Owner = {readonly prefix: '' | 'Inbox'; readonly name: string; readonly argument: string};

/** Operations for the faults of an inbox or of the daemon. */
function faultsBelow<const Base extends '/inboxes/:inboxId/faults' | '/faults', const Caller extends 'key' | 'local'>(
	base: Base,
	caller: Caller,
	{prefix, name, argument}: Owner,
) {
	return {
		create: {
			route: `POST ${base}`,
			id: `create${prefix}Fault`,
			summary: `Create a fault of ${name}`,
			description: 'A fault makes mail fail on purpose. `tinbox help faults` explains the stages and the effects.',
			caller,
			body: createFaultSchema,
			example: {stage: 'rcpt', reply: '451 4.7.1 Try again later', times: 2},
			command: `tinbox faults add ${argument} greylist`,
			status: 201,
			response: faultSchema,
			errors: ['too_many_faults'],
			locationParam: 'faultId',
		},
		list: {
			route: `GET ${base}`,
			id: `list${prefix}Faults`,
			summary: `List the faults of ${name}`,
			description: 'Faults are checked in this order, the oldest first. The first one that matches acts.',
			caller,
			command: `tinbox faults list ${argument}`,
			response: faultListSchema,
			responseIds: {faultId: 'faults/0/id'},
		},
		deleteAll: {
			route: `DELETE ${base}`,
			id: `delete${prefix}Faults`,
			summary: `Delete all faults of ${name}`,
			caller,
			command: `tinbox faults clear ${argument}`,
		},
		allHits: {
			route: `GET ${base}/hits`,
			id: `list${prefix}FaultHits`,
			summary: `List the fault hits of ${name}`,
			description: hits,
			caller,
			query: listFaultHitsSchema,
			command: `tinbox faults hits ${argument}`,
			response: faultHitListSchema,
			errors: ['limit_reached'],
		},
		hits: {
			route: `GET ${base}/:faultId/hits`,
			id: `list${prefix}HitsOfFault`,
			summary: `List the hits of one ${prefix === '' ? 'daemon' : 'inbox'} fault`,
			description: hits,
			caller,
			query: listFaultHitsSchema,
			response: faultHitListSchema,
			errors: ['limit_reached'],
		},
		get: {
			route: `GET ${base}/:faultId`,
			id: `get${prefix}Fault`,
			summary: `Get a fault of ${name}`,
			caller,
			response: faultSchema,
		},
		delete: {
			route: `DELETE ${base}/:faultId`,
			id: `delete${prefix}Fault`,
			summary: `Delete a fault of ${name}`,
			caller,
		},
	} as const satisfies Readonly<Record<string, Operation>>;
}

export const faultOperations = {
	ofInbox: faultsBelow('/inboxes/:inboxId/faults', 'key', {prefix: 'Inbox', name: 'an inbox', argument: 'signup'}),
	ofDaemon: faultsBelow('/faults', 'local', {prefix: '', name: 'the daemon', argument: '--daemon'}),
};

type FaultOperations = (typeof faultOperations)[keyof typeof faultOperations];

/** Faults of an inbox are for users who see the inbox; faults of the daemon for the operator and the local user. */
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
		return faultBody(await faults.create(scopeOf(user, params.inboxId), {...others, delayMs, byteDelayMs, ttlSeconds}));
	});

	routes.add(operations.list, async ({user, params}) => {
		return {faults: (await faults.list(scopeOf(user, params.inboxId))).map(faultBody)};
	});

	routes.add(operations.deleteAll, async ({user, params}) => faults.deleteAll(scopeOf(user, params.inboxId)));

	const answerHits = async (
		ctx: Context,
		user: User | undefined,
		{wait, count, ...page}: z.output<typeof listFaultHitsSchema>,
		{inboxId: inboxName, faultId}: {readonly inboxId: string; readonly faultId?: string},
	) => {
		const {req, res} = ctx;
		const inboxId = await faults.inboxId(scopeOf(user, inboxName));
		// The key is checked at each attempt: it can be revoked while the request is open.
		const attempt = async (isLast: boolean) => {
			const caller = await callers[operations.hits.caller]({req, res}, credentials);
			const {rows, total} = await faults.hits(scopeOf(caller, inboxId), page, faultId);
			if (total < count && !isLast) {
				return false;
			}

			sendJson(res, {hits: rows.map(faultHitBody), total, ...page} satisfies FaultHitListBody);
			return true;
		};
		const userId = user?.id ?? noUserKey;
		await polls.hold(res, {userId, topics: [hitTopic(inboxId), inboxId ?? '', userId], seconds: wait, attempt});
		ctx.respond = false;
	};
	// Before the single faults: `/hits` is not the fault "hits".
	routes.add(operations.allHits, async ({ctx, user, query, params}) => answerHits(ctx, user, query, params));

	routes.add(operations.hits, async ({ctx, user, query, params}) => answerHits(ctx, user, query, params));

	routes.add(operations.get, async ({user, params}) => {
		return faultBody(await faults.get(scopeOf(user, params.inboxId), params.faultId));
	});

	routes.add(operations.delete, async ({user, params}) => {
		await faults.delete(scopeOf(user, params.inboxId), params.faultId);
	});
}

function scopeOf(user: User | undefined, inboxName: string | null | undefined): FaultOwner {
	return user && inboxName != null ? {user, inboxName} : null;
}

function faultBody({fault, seen, acted}: CountedFault): FaultBody {
	const {inboxId, delayMs, byteDelayMs, ttlSeconds, expiresAt, createdAt, ...others} = fault;
	return {
		...others,
		inbox_id: inboxId,
		delay_ms: delayMs,
		byte_delay_ms: byteDelayMs,
		ttl: ttlSeconds,
		expires_at: expiresAt,
		created_at: createdAt,
		seen,
		hit_count: acted,
	};
}

export function faultHitBody({faultId, inboxId, delayMs, messageId, ...others}: FaultHit): FaultHitBody {
	return {...others, fault_id: faultId, inbox_id: inboxId, delay_ms: delayMs, message_id: messageId};
}
