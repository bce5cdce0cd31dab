import {Readable} from 'node:stream';
import {isUnavailable} from '../../domain/errors.js';
import type {NumberedEvent} from '../../services/live/follower.js';
import type {HttpConnections} from '../connections.js';
import {left} from '../left.js';
import {eventOperations} from '../operations/events.js';
import {eventStreamText} from '../present/events.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

/** Shows a client that the connection lives, and this side that the client does. */
const heartbeatMs = 15_000;

type Batch = readonly NumberedEvent[];

export function addEventRoutes(
	routes: Routes,
	{credentials, follower, quotas}: Services,
	connections: Pick<HttpConnections, 'holdForNews'>,
): void {
	/** Of a batch that goes to several clients there is one text. */
	const texts = new WeakMap<Batch, Buffer>();

	routes.add(eventOperations.follow, async ({ctx, user}) => {
		if (!connections.holdForNews(ctx.res, quotas.streams, user.id)) {
			return;
		}

		const batches = follower.follow({
			lastEventId: ctx.get('Last-Event-ID'),
			identify: () => credentials.byKey(ctx.get('X-API-Key')).catch(nobodyIfRevoked),
			idleMs: heartbeatMs,
			signal: left(ctx.res),
		});
		ctx.type = 'text/event-stream';
		ctx.body = Readable.from(textOf(batches, texts), {objectMode: false});
	});
}

function nobodyIfRevoked(error: unknown): undefined {
	if (isUnavailable(error)) {
		throw error;
	}
}

/** Makes the next text only when the client took the last: one that does not read costs no more than its place. */
async function* textOf(batches: AsyncIterable<Batch>, texts: WeakMap<Batch, Buffer>): AsyncGenerator<Buffer> {
	for await (const batch of batches) {
		const text = texts.get(batch) ?? Buffer.from(eventStreamText(batch));
		texts.set(batch, text);
		yield text;
	}
}
