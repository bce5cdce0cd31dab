import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {type Bound, beyondLimit} from '../../domain/errors.js';
import {type PacedReading, paceReading} from '../../lib/io/sockets.js';
import type {Admission, Holder} from '../../lib/queue/admission.js';
import {TurnBudget} from '../../lib/queue/event-loop.js';
import type {SlotShare} from '../../lib/queue/slots.js';
import type {Quota} from '../../services/quotas.js';
import {declaredLength, isLarge, pauseBody} from './bodies.js';
import {Holders, type RequestTurns} from './holders.js';
import {refuseConnection} from './problems.js';

export type ConnectionLimits = {
	/** Maximum number of open connections. */
	readonly connections: Bound;
	/** Slots that connections take. */
	readonly slots: SlotShare;
	/** Maximum number of pipelined requests that wait on a connection, and on all connections together. */
	readonly pipelined: Bound & {readonly total: number};
};

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Property of responses: releases the slot of the request. */
const releaseSlot = Symbol('release slot');

type AdmittedResponse = ServerResponse & {[releaseSlot]?: () => void};

type Exchange = {readonly request: IncomingMessage; readonly response: AdmittedResponse};

/** Number of waiting requests at which reading from the connection pauses. */
const pauseAt = 16;

/** Maximum time for parsing in one turn of the event loop in ms, because many connections can send something at the same moment. */
const maxParsingMs = 1;

/**
 * Maximum time in ms for which a request takes a slot of admission. Longer requests wait for something else than the main thread, such
 * as a thread, a database or the client.
 */
const maxSlotMs = 50;

/** Number of bytes that are parsed at a time. */
const pieceLength = 512;

/** Status codes for invalid credentials: sending APIs use the second one, too. */
const rejections: readonly number[] = [401, 403];

/**
 * Open connections of the server. If there are too many, the longest idle one is closed for a new one. If none is idle, the user with
 * the most stalled or slow connections loses one; waiting responses are exempt, because they have separate quotas. The requests of
 * a connection are served one after another (RFC 9112, section 9.3.2), each in a turn of its holder, so that many or expensive requests
 * delay only their own holder.
 */
export class HttpConnections implements RequestTurns {
	readonly #limits: ConnectionLimits;
	readonly #admission: Admission;
	readonly #serve: Serve;
	readonly #holders = new Holders();
	readonly #open = new Map<Socket, PacedReading>();
	/** Idle connections, the longest idle first, with the tick at which each became idle. */
	readonly #idle = new Map<Socket, number>();
	#ticks = 0;
	readonly #active = new ActiveRequests(request => Object.values(this.holderOf(request)).join(' '));
	readonly #waiting = new Map<Socket, Exchange[]>();
	#waitingInAll = 0;
	readonly #reading = new TurnBudget(maxParsingMs);

	constructor(limits: ConnectionLimits, admission: Admission, serve: Serve) {
		this.#limits = limits;
		this.#admission = admission;
		this.#serve = serve;
	}

	/** Number of active requests. */
	get activeCount(): number {
		return this.#open.size - this.#idle.size;
	}

	/** Accepts a connection, unless it is known already, or refuses it. */
	readonly take = (socket: Socket): void => {
		const {connections} = this.#limits;
		if (this.#open.has(socket)) {
			return;
		}

		if (!this.takeSlot()) {
			refuseConnection(
				socket,
				beyondLimit(`The daemon accepts at most ${connections.max} HTTP connections.`, 'Close some', connections),
			);
			return;
		}

		this.add(socket);
	};

	/** Takes a slot for a connection that `add` adds later; false if there is none. */
	takeSlot(): boolean {
		const {slots} = this.#limits;
		return slots.tryAcquire() || (this.#freeSlot() && slots.tryAcquire());
	}

	/** Adds a connection that has a slot. It may have a TLS handshake before it. */
	add(socket: Socket): void {
		// Without a listener, Node.js would parse the data past the stream.
		socket.on('data', () => {});
		this.#open.set(socket, paceReading(socket, this.#reading, pieceLength, 'ms'));
		this.#idle.set(socket, this.#ticks);
		socket.once('close', () => this.#forget(socket));
	}

	/**
	 * Serves a request after the previous ones of its connection. If too many wait, the connection is closed, because Node.js
	 * buffers everything that it received.
	 */
	readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
		const {socket} = request;
		if (this.#idle.delete(socket)) {
			this.#begin({request, response});
			return;
		}

		if (!this.#open.has(socket) || socket.writableEnded) {
			return;
		}

		const waiting = this.#waiting.get(socket) ?? [];
		const {max, total} = this.#limits.pipelined;
		if (waiting.length >= max) {
			this.#refuse(socket, `A connection can have at most ${max} waiting requests.`);
		} else if (waiting.length > 0 && this.#waitingInAll >= total) {
			this.#refuse(socket, `All connections together can have at most ${total} waiting requests.`);
		} else {
			waiting.push({request, response});
			this.#waiting.set(socket, waiting);
			this.#waitingInAll++;
			if (waiting.length >= Math.min(max, pauseAt)) {
				this.#open.get(socket)?.hold(true);
			}

			if (isLarge(request)) {
				setImmediate(() => void pauseBody(request));
			}
		}
	};

	/** Records the user of a request. All requests of a user count together, whatever their keys. */
	belongsTo(response: ServerResponse, userId: string): void {
		this.#holders.authenticated(response.req, userId);
	}

	holderOf(request: IncomingMessage): Holder {
		return this.#holders.of(request);
	}

	async admit(request: IncomingMessage, response: AdmittedResponse): Promise<void> {
		return new Promise(resolve => {
			void this.#admission.run(this.holderOf(request), async () => {
				resolve();
				if (response.destroyed) {
					return;
				}

				await new Promise<void>(release => {
					const timer = setTimeout(release, maxSlotMs);
					const releaseNow = () => {
						clearTimeout(timer);
						release();
					};
					response[releaseSlot] = releaseNow;
					if (!this.#open.has(request.socket)) {
						response.once('close', releaseNow);
					}
				});
			});
		});
	}

	async turn(request: IncomingMessage): Promise<void> {
		return this.#admission.turn(this.holderOf(request));
	}

	/** Counts a waiting response in the quota of the user until it closes; false if it has closed. Throws `limit_reached`. */
	holdForNews(response: AdmittedResponse, quota: Quota, userId: string): boolean {
		if (response.destroyed) {
			return false;
		}

		response.once('close', quota.hold(userId));
		response[releaseSlot]?.();
		this.#active.holdForNews(response);
		return true;
	}

	/** Must be called every second. Closes connections whose clients did nothing for a minute. */
	tick(): void {
		this.#ticks++;
		for (const socket of this.#active.tick()) {
			this.#end(socket);
		}
	}

	#begin({request, response}: Exchange): void {
		this.#active.begin(response);
		response.once('close', () => {
			response[releaseSlot]?.();
			if (rejections.includes(response.statusCode)) {
				this.#holders.rejected(request);
			}

			this.#proceed(request.socket);
		});
		// A request with a body is admitted again when it was read.
		const admitted = declaredLength(request) === 0 ? this.admit(request, response) : this.turn(request);
		void admitted.then(() => {
			if (!response.destroyed) {
				this.#serve(request, response);
			}
		});
	}

	/** Continues after a response has closed. */
	#proceed(socket: Socket): void {
		const [next] = this.#waiting.get(socket) ?? [];
		if (next) {
			setImmediate(() => this.#beginNext(socket));
		} else if (this.#open.has(socket)) {
			this.#active.delete(socket);
			this.#idle.set(socket, this.#ticks);
			this.#open.get(socket)?.hold(false);
		}
	}

	#beginNext(socket: Socket): void {
		const waiting = this.#waiting.get(socket) ?? [];
		const next = waiting.shift();
		if (waiting.length === 0) {
			this.#waiting.delete(socket);
		}

		if (next) {
			this.#waitingInAll--;
			this.#begin(next);
		}
	}

	/** Closes the connection, with a problem response if no response has begun. */
	#refuse(socket: Socket, allowed: string): void {
		this.#forgetWaiting(socket);
		if (this.#active.hasBegun(socket) || socket.writableLength > 0) {
			this.#end(socket);
		} else {
			refuseConnection(socket, beyondLimit(allowed, 'Wait for responses', this.#limits.pipelined));
		}
	}

	/** Closes the least needed connection; false if there is none. */
	#freeSlot(): boolean {
		const [[longestIdle, since = 0] = []] = this.#idle;
		// The first request of a new connection may be on its way.
		const isNew = since === this.#ticks;
		const socket = longestIdle && !isNew ? longestIdle : (this.#active.nextToClose() ?? longestIdle);
		return socket !== undefined && this.#end(socket);
	}

	#end(socket: Socket): boolean {
		this.#forget(socket);
		socket.destroy();
		return true;
	}

	#forget(socket: Socket): void {
		if (this.#open.delete(socket)) {
			this.#idle.delete(socket);
			this.#active.delete(socket);
			this.#forgetWaiting(socket);
			this.#limits.slots.release();
		}
	}

	#forgetWaiting(socket: Socket): void {
		this.#waitingInAll -= this.#waiting.get(socket)?.length ?? 0;
		this.#waiting.delete(socket);
	}
}

/** Active request of a connection. */
type Current = {
	readonly response: ServerResponse;
	waitsForNews?: true;
	bytes: number;
	/** Bytes transferred between the last two ticks, and whether the client has to act. */
	moved: number;
	awaitsClient: boolean;
	/** Number of ticks in a row without transfer. */
	stillFor: number;
};

/** Number of ticks without transfer after which a connection can be closed for a new one, or is closed if the client has to act. */
const stalledTicks = {makesRoom: 3, ends: 60};

/** Number of slow connections that a user keeps even if others need slots. */
const slowPerUser = 8;

/** Active requests, and the connections whose clients are slow. */
class ActiveRequests {
	readonly #current = new Map<Socket, Current>();
	/** Connections that can be closed, the first one last; computed on demand after each tick. */
	#closable: Socket[] | undefined;
	readonly #holderOf: (request: IncomingMessage) => string;

	/** `holderOf`: name of the holder of a request. */
	constructor(holderOf: (request: IncomingMessage) => string) {
		this.#holderOf = holderOf;
	}

	begin(response: ServerResponse): void {
		this.#current.set(response.req.socket, {response, bytes: -1, moved: 0, awaitsClient: false, stillFor: 0});
	}

	delete(socket: Socket): void {
		this.#current.delete(socket);
	}

	/** Marks a request as waiting for news. */
	holdForNews(response: ServerResponse): void {
		const current = this.#current.get(response.req.socket);
		if (current?.response === response) {
			current.waitsForNews = true;
		}
	}

	/** True if a part of the response was sent. */
	hasBegun(socket: Socket): boolean {
		return this.#current.get(socket)?.response.headersSent ?? false;
	}

	/** Measures the transfer since the last tick. Returns connections whose clients did nothing for a minute. */
	tick(): readonly Socket[] {
		this.#closable = undefined;
		for (const [socket, current] of this.#current) {
			const isComplete = current.response.req.complete;
			const isUnread = socket.writableLength > 0;
			const bytes = isComplete ? socket.bytesWritten - socket.writableLength : socket.bytesRead;
			current.awaitsClient = isUnread || !isComplete;
			current.moved = bytes - current.bytes;
			current.bytes = bytes;
			const isStill = current.moved === 0 && (current.awaitsClient || !current.waitsForNews);
			current.stillFor = isStill ? current.stillFor + 1 : 0;
		}

		return [...this.#current]
			.filter(([, {stillFor, awaitsClient}]) => stillFor >= stalledTicks.ends && awaitsClient)
			.map(([socket]) => socket);
	}

	/** The connection to close first; the next one at the next call. */
	nextToClose(): Socket | undefined {
		this.#closable ??= this.#findClosable();
		for (let socket = this.#closable.pop(); socket; socket = this.#closable.pop()) {
			// It may have closed since the tick, or begun another request.
			const current = this.#current.get(socket);
			if (current && (current.stillFor > 0 || current.awaitsClient)) {
				return socket;
			}
		}

		return undefined;
	}

	/** Users with the most slow connections lose one first: the longest without transfer, or the slowest. */
	#findClosable(): Socket[] {
		const byHolder = new Map<string, Array<[Socket, Current]>>();
		for (const [socket, current] of this.#current) {
			if (current.stillFor >= stalledTicks.makesRoom || current.awaitsClient) {
				const holder = this.#holderOf(current.response.req);
				const held = byHolder.get(holder) ?? [];
				held.push([socket, current]);
				byHolder.set(holder, held);
			}
		}

		return [...byHolder.values()]
			.flatMap(held => [...held.sort(([, a], [, b]) => a.stillFor - b.stillFor || b.moved - a.moved).entries()])
			.filter(([index, [, {stillFor}]]) => index >= slowPerUser || stillFor >= stalledTicks.makesRoom)
			.sort(([a], [b]) => a - b)
			.map(([, [socket]]) => socket);
	}
}

/** Signal that aborts when the client disconnects, immediately if it has done so. */
export function clientClosed(response: ServerResponse): AbortSignal {
	const gone = new AbortController();
	if (response.destroyed) {
		gone.abort();
	}

	response.once('close', () => gone.abort());
	return gone.signal;
}
