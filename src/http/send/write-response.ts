import type {ServerResponse} from 'node:http';
import type {Context} from 'koa';
import type {FaultEffect} from '../../domain/faults/fault.js';
import {sleep} from '../../lib/time/sleep.js';
import type {Answer} from '../../send/provider.js';
import {declaredLength} from '../server/bodies.js';

/** Bytes of a body that are read only to be dropped, at most. */
const maxDropped = 128 * 1024 * 1024;

/** How exact the time between two bytes is. */
const tickMs = 10;

/** Answers as a provider does, and as a fault has it, if one does. */
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
		dropRest(ctx);
	}

	ctx.status = status;
	if (!effect) {
		ctx.body = bytes;
		return;
	}

	ctx.respond = false;
	await writeFaultyResponse(ctx.res, bytes, effect);
}

/** A client that still sends would not hear the answer if the connection ended now: SDKs do not read while they write. */
function dropRest(ctx: Context): void {
	if (declaredLength(ctx.req) <= maxDropped) {
		ctx.req.resume();
	} else {
		ctx.set('Connection', 'close');
	}
}

async function writeFaultyResponse(response: ServerResponse, bytes: Buffer, effect: FaultEffect): Promise<void> {
	const {delayMs, byteDelayMs, drop} = effect;
	await sleepUnlessClosed(response, delayMs);
	if (drop === 'before' || drop === 'after_commit') {
		response.destroy();
		return;
	}

	const length = drop === 'mid' ? Math.floor(bytes.length / 2) : bytes.length;
	const step = byteDelayMs === 0 ? length : Math.max(1, Math.floor(tickMs / byteDelayMs));
	response.writeHead(response.statusCode, {'Content-Length': bytes.length});
	for (let at = 0; at < length && !response.destroyed; at += step) {
		const piece = bytes.subarray(at, Math.min(length, at + step));
		await sleepUnlessClosed(response, piece.length * byteDelayMs);
		await new Promise<void>(resolve => response.write(piece, () => resolve()));
	}

	if (drop === 'mid') {
		response.destroy();
	} else {
		response.end();
	}
}

async function sleepUnlessClosed(response: ServerResponse, ms: number): Promise<void> {
	if (ms === 0 || response.destroyed) {
		return;
	}

	const closed = new AbortController();
	const close = () => closed.abort();
	response.once('close', close);
	await sleep(ms, closed.signal).catch(() => {});
	response.off('close', close);
}
