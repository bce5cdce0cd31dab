import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {type Bound, beyondLimit} from '../domain/limits.js';
import {Pace} from '../lib/pace.js';
import type {PlacesPart} from '../lib/places.js';
import type {Quota} from '../services/limits/quota.js';
import {refuseConnection, refuseRequest} from './problem.js';

export type ConnectionLimits = {
	/** Open at the same time. */
	readonly connections: Bound;
	/** Where each of them takes a place. */
	readonly places: PlacesPart;
	/** Requests that wait on one connection behind the one that is being answered. */
	readonly pipelined: Bound;
};

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

type Exchange = {readonly request: IncomingMessage; readonly response: ServerResponse};

/**
 * With so many requests waiting, no more are read: all that has come would be parsed at once. Node.js reads on after each
 * answer, for as much as comes in one piece.
 */
const pausedAt = 16;

/** Requests that begin in one turn of the event loop: very many connections can send one at the same moment. */
const maxPerTurn = 16;

/** What is under way on a connection. */
type UnderWay = {
	readonly response: ServerResponse;
	/** Whose it is, once that is known. */
	userId?: string;
	waitsForNews?: true;
	bytes: number;
	/** How many looks in a row found that nothing more had come or gone. */
	stillFor: number;
};

/** Looks that find nothing new, after which a connection can make room, or ends if the client is the one to go on. */
const stillLooks = {makesRoom: 3, ends: 60};

/**
 * The connections of the server. When there are too many, the one that has been idle longest makes room. Where none is
 * idle, one does on which nothing moves, of whoever holds most of them; those that wait for news never do, as they have
 * limits of their own. The requests of a connection are answered one after another (RFC 9112, section 9.3.2), each in a
 * turn of the event loop of its own: who sends very many at once waits for them alone.
 */
export class HttpConnections {
	readonly #limits: ConnectionLimits;
	readonly #serve: Serve;
	readonly #open = new Set<Socket>();
	/** The one that has been idle longest first. */
	readonly #idle = new Set<Socket>();
	readonly #underWay = new Map<Socket, UnderWay>();
	/** Those under way that can make room, the first one last; known once needed after a look. */
	#canEnd: Socket[] | undefined;
	readonly #waiting = new Map<Socket, Exchange[]>();
	readonly #pace = new Pace(maxPerTurn);
	/** Those with more requests than may wait: the next one in turn is refused, and the connection ends with that. */
	readonly #excessive = new WeakSet<Socket>();

	constructor(limits: ConnectionLimits, serve: Serve) {
		this.#limits = limits;
		this.#serve = serve;
	}

	/** How many requests are being answered. */
	get underWay(): number {
		return this.#open.size - this.#idle.size;
	}

	/** Takes a connection that was opened, or refuses it. */
	readonly take = (socket: Socket): void => {
		const {places, connections} = this.#limits;
		if (!places.take() && !(this.#makeRoom() && places.take())) {
			refuseConnection(
				socket,
				beyondLimit(`At most ${connections.max} HTTP connections are taken.`, 'End some', connections),
			);
			return;
		}

		this.#open.add(socket);
		this.#idle.add(socket);
		socket.once('close', () => this.#forget(socket));
	};

	/** Answers a request when those before it on its connection are answered. */
	readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
		const {socket} = request;
		const waiting = this.#waiting.get(socket) ?? [];
		if (this.#idle.delete(socket)) {
			this.#begin({request, response});
			return;
		}

		if (waiting.length >= this.#limits.pipelined.max || !this.#open.has(socket)) {
			this.#excessive.add(socket);
		} else {
			waiting.push({request, response});
			this.#waiting.set(socket, waiting);
		}

		if (waiting.length >= Math.min(this.#limits.pipelined.max, pausedAt)) {
			socket.pause();
		}
	};

	/** Is told which user the request is of: all of one user count together, whatever keys they came with. */
	belongsTo(response: ServerResponse, userId: string): void {
		this.#note(response, {userId});
	}

	/** Counts an answer that waits for news in the user's quota, until it closes; false when it has. Throws `limit_reached`. */
	holdForNews(response: ServerResponse, quota: Quota, userId: string): boolean {
		if (response.destroyed) {
			return false;
		}

		response.once('close', quota.hold(userId));
		this.#note(response, {waitsForNews: true});
		return true;
	}

	/** Sees what moved since the last look, about a second ago. Ends connections whose clients did nothing for a minute. */
	look(): void {
		this.#canEnd = undefined;
		for (const [socket, seen] of this.#underWay) {
			const isComplete = seen.response.req.complete;
			const isUnread = socket.writableLength > 0;
			const bytes = isComplete ? socket.bytesWritten - socket.writableLength : socket.bytesRead;
			const waitsForNews = seen.waitsForNews && isComplete && !isUnread;
			seen.stillFor = bytes === seen.bytes && !waitsForNews ? seen.stillFor + 1 : 0;
			seen.bytes = bytes;
			if (seen.stillFor >= stillLooks.ends && (isUnread || !isComplete)) {
				this.#end(socket);
			}
		}
	}

	#begin({request, response}: Exchange): void {
		this.#underWay.set(request.socket, {response, bytes: -1, stillFor: 0});
		response.once('close', () => this.#goOn(request.socket));
		this.#pace.add(() => {
			if (!response.destroyed) {
				this.#serve(request, response);
			}

			return {cost: 1, hasMore: false};
		});
	}

	#note(response: ServerResponse, known: Pick<UnderWay, 'userId' | 'waitsForNews'>): void {
		const seen = this.#underWay.get(response.req.socket);
		if (seen?.response === response) {
			Object.assign(seen, known);
		}
	}

	/** One request of the connection is answered. */
	#goOn(socket: Socket): void {
		const [next] = this.#waiting.get(socket) ?? [];
		if (next) {
			setImmediate(() => this.#beginNext(socket));
		} else if (this.#open.has(socket)) {
			this.#underWay.delete(socket);
			this.#idle.add(socket);
			socket.resume();
		}
	}

	#beginNext(socket: Socket): void {
		const waiting = this.#waiting.get(socket) ?? [];
		const next = waiting.shift();
		if (waiting.length === 0) {
			this.#waiting.delete(socket);
		}

		if (next && this.#excessive.has(socket)) {
			const {pipelined} = this.#limits;
			const allowed = `At most ${pipelined.max} requests may wait on one connection.`;
			refuseRequest(next.response, beyondLimit(allowed, 'Wait for answers', pipelined));
		} else if (next) {
			this.#begin(next);
		}
	}

	/** Ends the connection that is needed least, if there is one. */
	#makeRoom(): boolean {
		let [socket] = this.#idle;
		this.#canEnd ??= socket ? undefined : this.#findStill();
		while (socket === undefined && this.#canEnd?.length) {
			const next = this.#canEnd.pop();
			// Since the look it may have ended, or begun another request.
			socket = next && this.#stillFor(next) > 0 ? next : undefined;
		}

		return socket !== undefined && this.#end(socket);
	}

	/** Those that can make room: whoever has most of them loses one first, the one that has been still for longest. */
	#findStill(): Socket[] {
		const byHolder = new Map<string, Socket[]>();
		for (const [socket, {response, userId, stillFor}] of this.#underWay) {
			if (stillFor >= stillLooks.makesRoom) {
				const {'x-api-key': key, authorization} = response.req.headers;
				const holder = userId === undefined ? `credential ${key ?? authorization}` : `user ${userId}`;
				const sockets = byHolder.get(holder) ?? [];
				sockets.push(socket);
				byHolder.set(holder, sockets);
			}
		}

		return [...byHolder.values()]
			.flatMap(sockets => [...sockets.sort((a, b) => this.#stillFor(a) - this.#stillFor(b)).entries()])
			.sort(([a], [b]) => a - b)
			.map(([, socket]) => socket);
	}

	#stillFor(socket: Socket): number {
		return this.#underWay.get(socket)?.stillFor ?? 0;
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
			this.#waiting.delete(socket);
			this.#limits.places.giveBack();
		}
	}
}
