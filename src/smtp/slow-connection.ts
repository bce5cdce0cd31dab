import type net from 'node:net';
import type {SMTPServer} from 'smtp-server';
import {AuthConnection} from './auth-connection.js';
import {type Delays, tickMs} from './delays.js';
import type {TlsConnectionOptions} from './tls-connection.js';

export type SlowConnectionOptions = TlsConnectionOptions & {
	readonly delays: Delays;
};

/** How a reply is given. */
export type Manner = {
	/** Its enhanced code where it refuses; undefined for what the library has for it. */
	readonly enhanced: string | undefined;
	/** Before each byte. */
	readonly byteDelayMs: number;
	/** The connection ends in the middle of it. */
	readonly isCut: boolean;
};

/**
 * A connection of the library that can be held up: it takes no further command meanwhile, no limit of time ends it, and what
 * it is told comes in order.
 */
export abstract class SlowConnection extends AuthConnection {
	readonly #delays: Delays;
	#manner: Manner | undefined;
	#holds = 0;
	/** Milliseconds for which it was delayed since it was first held up. */
	#delayedMs = 0;
	/** What goes on once nothing holds it up. */
	readonly #afterwards: Array<() => void> = [];
	/** A reply is under way. */
	#isReplying = false;
	/** It is to be closed after that. */
	#isToClose = false;

	constructor(server: SMTPServer, socket: net.Socket, options: SlowConnectionOptions) {
		super(server, socket, options);
		this.#delays = options.delays;
	}

	/** It waits for us. */
	protected get isHeld(): boolean {
		return this.#holds > 0;
	}

	/** It waits for nothing but the time. */
	protected get isDelayed(): boolean {
		return this.#delays.has(this);
	}

	/** The next reply is given in a manner of its own. */
	protected get hasManner(): boolean {
		return this.#manner !== undefined;
	}

	/** Is told how long it was delayed, once it goes on. */
	protected abstract noteDelay(ms: number): void;

	/** Takes nothing from the client until as many calls of `release`. */
	protected hold(): void {
		this.#holds++;
	}

	protected release(): void {
		this.#holds--;
		if (this.#holds === 0 && this.#delayedMs > 0) {
			this.noteDelay(this.#delayedMs);
			this.#delayedMs = 0;
		}

		while (this.#holds === 0 && this.#afterwards.length > 0) {
			this.#afterwards.shift()?.();
		}
	}

	/** Goes on after so long, unless the connection ends before. */
	protected pause(ms: number, goOn: () => void): void {
		if (ms === 0) {
			goOn();
			return;
		}

		this.hold();
		this.#delays.add(this, ms, () => {
			if (!this._closing && !this._closed) {
				this.#delayedMs += ms;
				goOn();
				this.release();
			}
		});
	}

	/** Gives the next reply in this manner; not a challenge of AUTH. */
	protected replyAs(manner: Manner): void {
		this.#manner = manner;
	}

	/** Ends the connection after what it was told. */
	protected breakOff(): void {
		const {_socket: socket} = this;
		this.close();
		socket.destroySoon();
	}

	override send(code: number, data?: string | string[] | null, context?: string | false): void {
		const manner = code === 334 ? undefined : this.#manner;
		if (this.#isReplying) {
			this.#afterwards.push(() => super.send(code, data, context));
		} else if (manner) {
			this.#manner = undefined;
			this.#isReplying = true;
			const text = this.#written(() => super.send(code, data, (code >= 400 && manner.enhanced) || context));
			this.#give(Buffer.from(text), manner);
		} else {
			super.send(code, data, context);
		}
	}

	override close(): void {
		if (this.#isReplying) {
			this.#isToClose = true;
		} else {
			super.close();
		}
	}

	override upgrade(callback: () => void, secureCallback?: () => void): void {
		if (this.isHeld) {
			this.#afterwards.push(() => super.upgrade(callback, secureCallback));
		} else if (!this._closing) {
			super.upgrade(callback, secureCallback);
		}
	}

	override _whenWritable(next: () => void): void {
		if (this.isHeld) {
			this.#afterwards.push(() => super._whenWritable(next));
		} else {
			super._whenWritable(next);
		}
	}

	override _onCommand(command: Buffer, callback?: () => void): void {
		if (this.isHeld) {
			this.#afterwards.push(() => super._onCommand(command, callback));
		} else {
			super._onCommand(command, callback);
		}
	}

	override _onTimeout(): void {
		if (this.isHeld) {
			this._armTimeout();
		} else {
			super._onTimeout();
		}
	}

	override _onClose(): void {
		this.#delays.delete(this);
		super._onClose();
	}

	/** What the library writes meanwhile, which is not sent. */
	#written(write: () => void): string {
		const {_socket: socket} = this;
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

	#give(reply: Buffer, {byteDelayMs, isCut}: Manner): void {
		const {_socket: socket} = this;
		const length = isCut ? Math.floor(reply.length / 2) : reply.length;
		const step = byteDelayMs === 0 ? length : Math.max(1, Math.floor(tickMs / byteDelayMs));
		const giveFrom = (start: number) => {
			const end = Math.min(length, start + step);
			this.pause((end - start) * byteDelayMs, () => {
				socket.write(reply.subarray(start, end));
				if (end < length) {
					giveFrom(end);
				} else {
					this.#isReplying = false;
					this.#end(isCut);
				}
			});
		};
		giveFrom(0);
	}

	#end(isCut: boolean): void {
		if (isCut) {
			this.breakOff();
		} else if (this.#isToClose) {
			this.close();
		}
	}
}
