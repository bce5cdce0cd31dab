import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {type Bound, beyondLimit} from '../../domain/errors.js';
import {type PacedReading, paceReading} from '../../lib/io/sockets.js';
import {TurnBudget} from '../../lib/queue/event-loop.js';
import type {SlotShare} from '../../lib/queue/slots.js';
import type {Quota} from '../../services/quotas.js';
import {holdBack, isLarge} from './bodies.js';
import {refuseConnection} from './problems.js';

export type ConnectionLimits = {
	/** Open at the same time. */
	readonly connections: Bound;
	/** Where each of them takes a place. */
	readonly places: SlotShare;
	/** Requests that wait on one connection behind the one that is being answered; on all together, where several do. */
	readonly pipelined: Bound & {readonly inAll: number};
};

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

type Exchange = {readonly request: IncomingMessage; readonly response: ServerResponse};

/** With so many requests waiting on a connection, no more of what comes is parsed. */
const heldAt = 16;

/** In one turn of the event loop: very many connections can send something at the same moment. */
const maxPerTurn = {requests: 16, bytes: 4096};

/** Bytes that are parsed at a time: the shortest requests in them are as many as may begin in a turn. */
const pieceLength = 512;

/**
 * The connections of the server. When there are too many, the one that has been idle longest makes room. Where none is
 * idle, one does on which nothing moves or whose client is slow, of whoever holds most of them; those that wait for news
 * never do, as they have limits of their own. The requests of a connection are answered one after another (RFC 9112,
 * section 9.3.2), each in a turn of the event loop of its own: who sends very many at once waits for them alone.
 */
export class HttpConnections {
	readonly #limits: ConnectionLimits;
	readonly #serve: Serve;
	readonly #open = new Map<Socket, PacedReading>();
	/** The one that has been idle longest first, and how many looks there had been when it became so. */
	readonly #idle = new Map<Socket, number>();
	#looks = 0;
	readonly #underWay = new ActiveRequests();
	readonly #waiting = new Map<Socket, Exchange[]>();
	#waitingInAll = 0;
	readonly #pace = new TurnBudget(maxPerTurn.requests);
	readonly #reading = new TurnBudget(maxPerTurn.bytes);

	constructor(limits: ConnectionLimits, serve: Serve) {
		this.#limits = limits;
		this.#serve = serve;
	}

	/** How many requests are being answered. */
	get underWay(): number {
		return this.#open.size - this.#idle.size;
	}

	/** Takes a connection that was opened, unless that was done before, or refuses it. */
	readonly take = (socket: Socket): void => {
		const {connections} = this.#limits;
		if (this.#open.has(socket)) {
			return;
		}

		if (!this.takePlace()) {
			refuseConnection(
				socket,
				beyondLimit(`The daemon accepts at most ${connections.max} HTTP connections.`, 'Close some', connections),
			);
			return;
		}

		this.add(socket);
	};

	/** Takes a place for a connection that is to be added; false when there is none. */
	takePlace(): boolean {
		const {places} = this.#limits;
		return places.tryAcquire() || (this.#makeRoom() && places.tryAcquire());
	}

	/** Adds one that took a place and was not handed to the server yet: it may have a handshake before it. */
	add(socket: Socket): void {
		// Node.js parses what comes past the stream, unless somebody listens to it.
		socket.on('data', () => {});
		this.#open.set(socket, paceReading(socket, this.#reading, pieceLength));
		this.#idle.set(socket, this.#looks);
		socket.once('close', () => this.#forget(socket));
	}

	/**
	 * Answers a request when those before it on its connection are answered. When too many wait, the connection ends at
	 * once: Node.js keeps all that has come for as long as it is there.
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
		const {max, inAll} = this.#limits.pipelined;
		if (waiting.length >= max) {
			this.#refuse(socket, `A connection can have at most ${max} waiting requests.`);
		} else if (waiting.length > 0 && this.#waitingInAll >= inAll) {
			this.#refuse(socket, `All connections together can have at most ${inAll} waiting requests.`);
		} else {
			waiting.push({request, response});
			this.#waiting.set(socket, waiting);
			this.#waitingInAll++;
			if (waiting.length >= Math.min(max, heldAt)) {
				this.#open.get(socket)?.hold(true);
			}

			if (isLarge(request)) {
				setImmediate(() => void holdBack(request));
			}
		}
	};

	/** Is told which user the request is of: all of one user count together, whatever keys they came with. */
	belongsTo(response: ServerResponse, userId: string): void {
		this.#underWay.note(response, {userId});
	}

	/** Counts an answer that waits for news in the user's quota, until it closes; false when it has. Throws `limit_reached`. */
	holdForNews(response: ServerResponse, quota: Quota, userId: string): boolean {
		if (response.destroyed) {
			return false;
		}

		response.once('close', quota.hold(userId));
		this.#underWay.note(response, {waitsForNews: true});
		return true;
	}

	/** Is to be called every second. Ends connections whose clients did nothing for a minute. */
	look(): void {
		this.#looks++;
		for (const socket of this.#underWay.look()) {
			this.#end(socket);
		}
	}

	#begin({request, response}: Exchange): void {
		this.#underWay.begin(response);
		response.once('close', () => this.#goOn(request.socket));
		this.#pace.add(() => {
			if (!response.destroyed) {
				this.#serve(request, response);
			}

			return {cost: 1, hasMore: false};
		});
	}

	/** One request of the connection is answered. */
	#goOn(socket: Socket): void {
		const [next] = this.#waiting.get(socket) ?? [];
		if (next) {
			setImmediate(() => this.#beginNext(socket));
		} else if (this.#open.has(socket)) {
			this.#underWay.delete(socket);
			this.#idle.set(socket, this.#looks);
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

	/** Ends the connection, with a word where the answer under way has not begun. */
	#refuse(socket: Socket, allowed: string): void {
		this.#forgetWaiting(socket);
		if (this.#underWay.hasBegun(socket) || socket.writableLength > 0) {
			this.#end(socket);
		} else {
			refuseConnection(socket, beyondLimit(allowed, 'Wait for responses', this.#limits.pipelined));
		}
	}

	/** Ends the connection that is needed least, if there is one. */
	#makeRoom(): boolean {
		const [[longestIdle, since = 0] = []] = this.#idle;
		// A request may be on its way on one that was opened just now.
		const isNew = since === this.#looks;
		const socket = longestIdle && !isNew ? longestIdle : (this.#underWay.leastNeeded() ?? longestIdle);
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
			this.#underWay.delete(socket);
			this.#forgetWaiting(socket);
			this.#limits.places.release();
		}
	}

	#forgetWaiting(socket: Socket): void {
		this.#waitingInAll -= this.#waiting.get(socket)?.length ?? 0;
		this.#waiting.delete(socket);
	}
}

/** The request that is being answered on a connection. */
type Current = {
	readonly response: ServerResponse;
	/** Whose it is, once that is known. */
	userId?: string;
	waitsForNews?: true;
	bytes: number;
	/** As the last look found: how much had come or gone since the one before, and whether the client is the one to go on. */
	moved: number;
	awaitsClient: boolean;
	/** How many looks in a row found that nothing more had come or gone. */
	stillFor: number;
};

/** Looks that find nothing new, after which a connection can make room, or ends if the client is the one to go on. */
const stillLooks = {makesRoom: 3, ends: 60};

/** How many slow connections everybody keeps, also where others need room. */
const slowEach = 8;

/** What is under way on connections, and whose clients are slow. */
class ActiveRequests {
	readonly #current = new Map<Socket, Current>();
	/** Those that can make room, the first one last; known once needed after a look. */
	#canEnd: Socket[] | undefined;

	begin(response: ServerResponse): void {
		this.#current.set(response.req.socket, {response, bytes: -1, moved: 0, awaitsClient: false, stillFor: 0});
	}

	delete(socket: Socket): void {
		this.#current.delete(socket);
	}

	/** Is told more of what is being answered. */
	note(response: ServerResponse, known: Pick<Current, 'userId' | 'waitsForNews'>): void {
		const current = this.#current.get(response.req.socket);
		if (current?.response === response) {
			Object.assign(current, known);
		}
	}

	/** Whether a part of an answer was sent. */
	hasBegun(socket: Socket): boolean {
		return this.#current.get(socket)?.response.headersSent ?? false;
	}

	/** Sees what moved since the last look, about a second ago. Gives those whose clients did nothing for a minute. */
	look(): readonly Socket[] {
		this.#canEnd = undefined;
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
			.filter(([, {stillFor, awaitsClient}]) => stillFor >= stillLooks.ends && awaitsClient)
			.map(([socket]) => socket);
	}

	/** The one that is to make room first, if there is one; the next one at the next call. */
	leastNeeded(): Socket | undefined {
		this.#canEnd ??= this.#findSlow();
		for (let socket = this.#canEnd.pop(); socket; socket = this.#canEnd.pop()) {
			// Since the look it may have ended, or begun another request.
			const current = this.#current.get(socket);
			if (current && (current.stillFor > 0 || current.awaitsClient)) {
				return socket;
			}
		}

		return undefined;
	}

	/** Whoever has most of them loses one first, the one that has been still for longest, or moved least. */
	#findSlow(): Socket[] {
		const byHolder = new Map<string, Array<[Socket, Current]>>();
		for (const [socket, current] of this.#current) {
			if (current.stillFor >= stillLooks.makesRoom || current.awaitsClient) {
				const {'x-api-key': key, authorization} = current.response.req.headers;
				const holder = current.userId === undefined ? `credential ${key ?? authorization}` : `user ${current.userId}`;
				const held = byHolder.get(holder) ?? [];
				held.push([socket, current]);
				byHolder.set(holder, held);
			}
		}

		return [...byHolder.values()]
			.flatMap(held => [...held.sort(([, a], [, b]) => a.stillFor - b.stillFor || b.moved - a.moved).entries()])
			.filter(([index, [, {stillFor}]]) => index >= slowEach || stillFor >= stillLooks.makesRoom)
			.sort(([a], [b]) => a - b)
			.map(([, [socket]]) => socket);
	}
}

/** Aborts when the client leaves; at once if it left before. */
export function clientClosed(response: ServerResponse): AbortSignal {
	const gone = new AbortController();
	if (response.destroyed) {
		gone.abort();
	}

	response.once('close', () => gone.abort());
	return gone.signal;
}
