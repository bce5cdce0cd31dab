import type {ServerResponse} from 'node:http';
import type {Context} from 'koa';
import {type FaultEffect, slowChunks} from '../../domain/faults/fault.js';
import {sleep} from '../../lib/time/sleep.js';
import type {Answer} from '../../send/provider.js';
import {declaredLength} from '../server/bodies.js';
import {clientClosed} from '../server/connections.js';

/** Maximum size of the rest of a request body that is read and discarded. */
const maxDiscarded = 128 * 1024 * 1024;

/** Sends the answer of a provider, with the delay, drip or drop of a fault. */
export async function writeResponse(
	ctx: Context,
	{status, headers = {}, body}: Answer,
	effect: FaultEffect | null,
): Promise<void> {
	const isText = typeof body === 'string';
	const bytes = Buffer.from(isText ? body : body === undefined ? '' : JSON.stringify(body));
	ctx.set('Content-Type', isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8');
	ctx.set(headers);
	if (!ctx.req.complete) {
		discardRest(ctx);
	}

	ctx.status = status;
	if (!effect) {
		ctx.body = bytes;
		return;
	}

	ctx.respond = false;
	await writeFaultyResponse(ctx.res, bytes, effect);
}

/** Reads the rest of the request: SDKs do not read the response while they write. */
function discardRest(ctx: Context): void {
	if (declaredLength(ctx.req) <= maxDiscarded) {
		ctx.req.resume();
	} else {
		ctx.set('Connection', 'close');
	}
}

async function writeFaultyResponse(response: ServerResponse, bytes: Buffer, effect: FaultEffect): Promise<void> {
	const {delayMs, byteDelayMs, drop} = effect;
	const closed = clientClosed(response);
	const pause = async (ms: number) => (ms === 0 ? undefined : sleep(ms, closed).catch(() => {}));
	await pause(delayMs);
	if (drop === 'before' || drop === 'after_commit') {
		response.destroy();
		return;
	}

	const isCut = drop === 'mid';
	response.writeHead(response.statusCode, {'Content-Length': bytes.length});
	for (const chunk of slowChunks(bytes, {byteDelayMs, isCut})) {
		await pause(chunk.delayMs);
		if (response.destroyed) {
			return;
		}

		await new Promise<void>(resolve => response.write(chunk.bytes, () => resolve()));
	}

	if (isCut) {
		response.destroy();
	} else {
		response.end();
	}
}
