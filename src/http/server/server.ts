import {once} from 'node:events';
import {createServer, type Server} from 'node:http';
import {type AddressInfo, createServer as createTcpServer, type Socket} from 'node:net';
import {TLSSocket} from 'node:tls';
import type {McpExtra} from '../../contract/constants.js';
import {type HostPort, hostPort, reachableHost} from '../../lib/io/hosts.js';
import type {Part} from '../../lib/lifecycle.js';
import type {Log} from '../../lib/log.js';
import type {Follower} from '../../services/live/follower.js';
import type {Certificates} from '../../tls/certificates.js';
import {createApp} from '../app.js';
import type {SiteOptions} from '../middleware/own-site.js';
import type {Services} from '../services.js';
import {type ConnectionLimits, HttpConnections} from './connections.js';
import {Polls} from './polls.js';
import {answerClientError} from './problems.js';

type HttpServerOptions = SiteOptions & {
	/** 0 is any free one. */
	readonly port: number;
	/** Where the same is served over TLS; null for nowhere. */
	readonly secure: SecureListenerOptions | null;
	/** What agents may do besides reading mail of their inboxes. */
	readonly mcpExtras: readonly McpExtra[];
	readonly limits: ConnectionLimits;
	readonly log: Log;
};

/** A client that sends this slowly is ended; how long an answer may take is no matter of these. */
const timeouts = {headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000};

/** Between two requests. Longer than clients keep their side, so that none sends into a connection being closed. */
const keepAliveTimeout = 15_000;

/** How often connections are looked at: one on which nothing moves ends, or makes room for others. */
const lookEveryMs = 1000;

/** That may wait to be taken: a burst beyond it would have others try again after a second, which the system does. */
const connectionsAtOnce = 4096;

/** When the server stops: how long requests under way may take, and how long connections without one may linger. */
const stopping = {graceMs: 5000, lingerMs: 300, sweepMs: 50};

/** Serves the `/v1` API, in the clear and, where it is to, over TLS: to all that follows both are the same. */
export class HttpServer implements Part {
	readonly name = 'http';
	readonly #options: HttpServerOptions;
	readonly #polls: Polls;
	readonly #follower: Follower;
	readonly #server: Server;
	readonly #secure: SecureListener | null;
	readonly #connections: HttpConnections;
	/** Aborts when it stops. */
	readonly #ending = new AbortController();
	#looks: NodeJS.Timeout | undefined;

	constructor(services: Services, options: HttpServerOptions) {
		this.#options = options;
		this.#follower = services.follower;
		const connections = new HttpConnections(options.limits, (request, response) => void handle(request, response));
		this.#connections = connections;
		this.#polls = new Polls(services, connections, options.log);
		const mcp = {extras: options.mcpExtras, url: () => this.url, ending: this.#ending.signal};
		const handle = createApp(services, {...options, polls: this.#polls, connections, mcp}).callback();
		// A missing Host header is ours to refuse, with a body that says so.
		this.#server = createServer({...timeouts, keepAliveTimeout, requireHostHeader: false}, this.#connections.answer);
		this.#server.on('connection', this.#connections.take);
		// Node.js would answer these by itself, as many as come and whoever asks; and have bodies sent before their turn.
		this.#server.on('checkExpectation', this.#connections.answer);
		this.#server.on('checkContinue', this.#connections.answer);
		this.#server.on('clientError', answerClientError);
		this.#secure =
			options.secure &&
			new SecureListener(options.secure, {
				takePlace: () => connections.takePlace(),
				add: socket => connections.add(socket),
				serve: socket => this.#server.emit('connection', socket),
			});
	}

	/** The base address, known once started. */
	get url(): string {
		return `http://${this.#reachable(this.port)}/v1`;
	}

	/** The same over TLS; null without it. */
	get secureUrl(): string | null {
		return this.#secure && `https://${this.#reachable(this.#secure.port)}/v1`;
	}

	/** Where it listens for TLS; undefined for nowhere. */
	secureAddress(): HostPort | undefined {
		return this.#secure ? {host: this.#options.host, port: this.#secure.port} : undefined;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	async start(): Promise<void> {
		const {host, port} = this.#options;
		this.#looks = setInterval(() => this.#connections.look(), lookEveryMs).unref();
		await once(this.#server.listen({port, host, backlog: connectionsAtOnce}), 'listening');
		await this.#secure?.listen(host, connectionsAtOnce).catch(async error => {
			await this.stop();
			throw error;
		});
	}

	/** Refuses new requests, ends the open polls and event streams, and lets the rest finish. */
	async stop(): Promise<void> {
		this.#ending.abort();
		this.#polls.stop();
		this.#follower.stop();
		const deadline = setTimeout(() => this.#server.closeAllConnections(), stopping.graceMs);
		let quietSince = Date.now();
		const sweep = setInterval(() => {
			quietSince = this.#connections.underWay === 0 ? quietSince : Date.now();
			this.#server.closeIdleConnections();
			if (Date.now() - quietSince > stopping.lingerMs) {
				// Among them those that never sent a request, which do not count as idle.
				this.#server.closeAllConnections();
			}
		}, stopping.sweepMs);
		await Promise.all([new Promise(resolve => this.#server.close(resolve)), this.#secure?.close()]);
		clearInterval(sweep);
		clearInterval(this.#looks);
		clearTimeout(deadline);
	}

	#reachable(port: number): string {
		return hostPort({host: reachableHost(this.#options.host), port});
	}
}

type SecureListenerOptions = {
	/** 0 is any free one. */
	readonly port: number;
	readonly certificates: Certificates;
};

/** What becomes of the connections. */
type ConnectionSink = {
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
	readonly #handover: ConnectionSink;
	readonly #server = createTcpServer(socket => void this.#take(socket));
	readonly #handshakes = new Set<TLSSocket>();

	constructor(options: SecureListenerOptions, handover: ConnectionSink) {
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
