import type {SMTPConnection} from 'smtp-server/lib/smtp-connection.js';
import {slowChunks} from '../domain/faults/fault.js';
import {TurnBudget} from '../lib/queue/event-loop.js';

/** Resolution of delays. */
const tickMs = 10;

/** Maximum number of delays that end in one turn of the event loop, as many can end at the same moment. */
const maxPerTurn = 8;

/** Style of a reply that a fault affects. */
type ReplyStyle = {
	/** Enhanced status code of a negative reply; undefined for the usual one. */
	readonly enhanced: string | undefined;
	/** Delay before each byte. */
	readonly byteDelayMs: number;
	/** If true, the connection ends in the middle of the reply. */
	readonly isCut: boolean;
};

/** Holds up one session: no command is processed and no timeout ends it meanwhile, and replies stay in order. */
export class SessionPacing {
	readonly #connection: SMTPConnection;
	readonly #delays: Delays;
	readonly #onDelayed: (ms: number) => void;
	#style: ReplyStyle | undefined;
	#holds = 0;
	/** Total delay since the session was last free, in milliseconds. */
	#delayedMs = 0;
	readonly #deferred: Array<() => void> = [];
	#isReplying = false;
	/** Close the connection after the current reply. */
	#closesAfterReply = false;

	/** `onDelayed` is called with the total delay once the session goes on. */
	constructor(connection: SMTPConnection, delays: Delays, onDelayed: (ms: number) => void) {
		this.#connection = connection;
		this.#delays = delays;
		this.#onDelayed = onDelayed;
	}

	/** True while the session may not go on. */
	get isHeld(): boolean {
		return this.#holds > 0;
	}

	/** True while a fault delays the session. */
	get isDelayed(): boolean {
		return this.#delays.has(this);
	}

	/** True if a fault decided about the next reply. */
	get hasStyle(): boolean {
		return this.#style !== undefined;
	}

	/** Holds the session up until `release` was called as often. */
	hold(): void {
		this.#holds++;
	}

	release(): void {
		this.#holds--;
		if (this.#holds === 0 && this.#delayedMs > 0) {
			this.#onDelayed(this.#delayedMs);
			this.#delayedMs = 0;
		}

		while (this.#holds === 0 && this.#deferred.length > 0) {
			this.#deferred.shift()?.();
		}
	}

	/** Calls `action` now, or once nothing holds the session up. */
	whenFree(action: () => void): void {
		if (this.isHeld) {
			this.#deferred.push(action);
		} else {
			action();
		}
	}

	/** Calls `next` after a delay, unless the connection ends before. */
	pause(ms: number, next: () => void): void {
		if (ms === 0) {
			next();
			return;
		}

		this.hold();
		this.#delays.add(this, ms, () => {
			if (!this.#connection._closing && !this.#connection._closed) {
				this.#delayedMs += ms;
				next();
				this.release();
			}
		});
	}

	/** Sets the style of the next reply that is not a challenge of AUTH. */
	styleNextReply(style: ReplyStyle): void {
		this.#style = style;
	}

	/** Sends a reply behind those under way. `write` makes the library write it, with the enhanced status code of a style. */
	send(code: number, write: (enhanced?: string) => void): void {
		const style = code === 334 ? undefined : this.#style;
		if (this.#isReplying) {
			this.#deferred.push(write);
		} else if (style) {
			this.#style = undefined;
			this.#isReplying = true;
			const text = this.#capture(() => write(code >= 400 ? style.enhanced : undefined));
			this.#sendSlowly(Buffer.from(text), style);
		} else {
			write();
		}
	}

	/** Calls `close` now, or after the reply that is under way. */
	close(close: () => void): void {
		if (this.#isReplying) {
			this.#closesAfterReply = true;
		} else {
			close();
		}
	}

	/** Ends the connection after the bytes that were written. */
	breakOff(): void {
		const {_socket: socket} = this.#connection;
		this.#connection.close();
		socket.destroySoon();
	}

	/** Drops the delay of a connection that was closed. */
	end(): void {
		this.#delays.delete(this);
	}

	/** Returns what the library writes in `write`, without sending it. */
	#capture(write: () => void): string {
		const {_socket: socket} = this.#connection;
		let written = '';
		const take = (text: string) => {
			written += text;
			return true;
		};
		Object.defineProperty(socket, 'write', {value: take, configurable: true});
		try {
			write();
		} finally {
			Reflect.deleteProperty(socket, 'write');
		}

		return written;
	}

	#sendSlowly(reply: Buffer, {byteDelayMs, isCut}: ReplyStyle): void {
		const {_socket: socket} = this.#connection;
		const chunks = slowChunks(reply, {byteDelayMs, isCut});
		const sendNext = () => {
			const {value: chunk} = chunks.next();
			if (chunk) {
				this.pause(chunk.delayMs, () => {
					socket.write(chunk.bytes);
					sendNext();
				});
			} else {
				this.#isReplying = false;
				this.#replied(isCut);
			}
		};
		sendNext();
	}

	#replied(isCut: boolean): void {
		if (isCut) {
			this.breakOff();
		} else if (this.#closesAfterReply) {
			this.#connection.close();
		}
	}
}

/** Delays of many sessions, at most one of each at a time, with a single timer. */
export class Delays {
	readonly #pace = new TurnBudget(maxPerTurn);
	readonly #delays = new Map<object, {readonly until: number; readonly then: () => void}>();
	#timer: NodeJS.Timeout | undefined;
	#isOver = false;

	/** Calls `then` after `ms`, or soon after `endAll`. */
	add(owner: object, ms: number, then: () => void): void {
		if (this.#isOver) {
			then();
			return;
		}

		this.#delays.set(owner, {until: performance.now() + ms, then});
		this.#timer ??= setInterval(() => this.#endDue(performance.now()), tickMs).unref();
	}

	has(owner: object): boolean {
		return this.#delays.has(owner);
	}

	/** Cancels the delay of an owner. */
	delete(owner: object): void {
		this.#delays.delete(owner);
	}

	/** Ends all delays; later ones end at once. */
	endAll(): void {
		this.#isOver = true;
		this.#endDue(Number.POSITIVE_INFINITY);
	}

	#endDue(now: number): void {
		for (const [owner, {until, then}] of this.#delays) {
			if (until <= now) {
				this.#delays.delete(owner);
				this.#pace.add(() => {
					then();
					return {cost: 1, hasMore: false};
				});
			}
		}

		if (this.#delays.size === 0) {
			clearInterval(this.#timer);
			this.#timer = undefined;
		}
	}
}
