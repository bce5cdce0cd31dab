import {once} from 'node:events';
import {type AddressInfo, createServer, type Socket} from 'node:net';
import {TLSSocket} from 'node:tls';
import type {Certificates} from '../tls/certificates.js';

export type SecureListenerOptions = {
	/** 0 is any free one. */
	readonly port: number;
	readonly certificates: Certificates;
};

/** What becomes of the connections. */
export type Handover = {
	/** Takes a place for one that was opened; false when there is none. */
	takePlace(): boolean;
	/** Is told of one that took a place, before its handshake. */
	add(socket: TLSSocket): void;
	/** Serves one whose handshake is done. */
	serve(socket: TLSSocket): void;
};

/** How long a handshake may take, silent or not. */
const handshakeDeadlineMs = 10_000;

/** Takes connections over TLS and hands them over, each with a place from its first byte on. */
export class SecureListener {
	readonly #options: SecureListenerOptions;
	readonly #handover: Handover;
	readonly #server = createServer(socket => void this.#take(socket));
	readonly #handshakes = new Set<TLSSocket>();

	constructor(options: SecureListenerOptions, handover: Handover) {
		this.#options = options;
		this.#handover = handover;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	async listen(host: string, backlog: number): Promise<void> {
		await once(this.#server.listen({host, port: this.#options.port, backlog}), 'listening');
	}

	/** Takes no more connections and ends those in their handshakes. Resolves when the others have ended, too. */
	async close(): Promise<void> {
		const closed = new Promise(resolve => this.#server.close(resolve));
		for (const socket of this.#handshakes) {
			socket.destroy();
		}

		await closed;
	}

	async #take(raw: Socket): Promise<void> {
		// Whoever leaves during the handshake has left.
		raw.on('error', () => {});
		const {contextFor} = this.#options.certificates;
		const secureContext = await contextFor(null).catch(() => undefined);
		// What could be said of there being no room would be no TLS.
		if (!secureContext || raw.destroyed || !this.#server.listening || !this.#handover.takePlace()) {
			raw.destroy();
			return;
		}

		const socket = new TLSSocket(raw, {
			isServer: true,
			secureContext,
			ALPNProtocols: ['http/1.1'],
			SNICallback: (name, done) => void contextFor(name).then(context => done(null, context), done),
		});
		socket.on('error', () => {});
		this.#handover.add(socket);
		this.#handshakes.add(socket);
		const deadline = setTimeout(() => socket.destroy(), handshakeDeadlineMs);
		const end = () => {
			clearTimeout(deadline);
			return this.#handshakes.delete(socket);
		};
		socket.once('close', end);
		socket.once('secure', () => end() && this.#handover.serve(socket));
	}
}
