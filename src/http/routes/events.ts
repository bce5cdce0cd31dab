import {Readable} from 'node:stream';
import type {Router} from '@koa/router';
import {userByKey} from '../auth.js';
import {eventStreamTexts} from '../present/events.js';
import {routesFor} from '../routing.js';
import type {Services} from '../services.js';

/** Shows a client that the connection lives, and this side that the client does. */
const heartbeatMs = 15_000;

export function addEventRoutes(router: Router, {credentials, follower, quotas}: Services): void {
	routesFor(router, ctx => userByKey(ctx, credentials)).get('/events', async ({ctx, user}) => {
		const release = quotas.streams.hold(user.id);
		const gone = new AbortController();
		ctx.res.once('close', () => {
			release();
			gone.abort();
		});
		const batches = follower.follow({
			lastEventId: ctx.get('Last-Event-ID'),
			identify: () => credentials.byKey(ctx.get('X-API-Key')).catch(() => undefined),
			idleMs: heartbeatMs,
			signal: gone.signal,
		});
		ctx.type = 'text/event-stream';
		ctx.body = Readable.from(textOf(batches), {objectMode: false});
	});
}

/** Makes the next text only when the client took the last: one that does not read costs no more than its place. */
async function* textOf(batches: AsyncIterable<Parameters<typeof eventStreamTexts>[0]>): AsyncGenerator<string> {
	for await (const batch of batches) {
		yield* eventStreamTexts(batch);
	}
}
