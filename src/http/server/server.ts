import {once} from 'node:events';
import {createServer, type Server} from 'node:http';
import {type AddressInfo, createServer as createTcpServer, type Socket} from 'node:net';
import {type Duplex, duplexPair} from 'node:stream';
import {TLSSocket} from 'node:tls';
import type {McpExtra} from '../../contract/constants.js';
import {type HostPort, hostPort, reachableHost} from '../../lib/io/hosts.js';
import type {Part} from '../../lib/lifecycle.js';
import type {Log} from '../../lib/log.js';
import type {Follower} from '../../services/live/follower.js';
import type {Certificates} from '../../tls/certificates.js';
import {createKoaApp} from '../app.js';
import type {SiteOptions} from '../middleware/own-site.js';
import type {Services} from '../services.js';
import {type ConnectionLimits, HttpConnections} from './connections.js';
import {Polls} from './polls.js';
import {answerClientError} from './problems.js';

type HttpServerOptions = SiteOptions & {
	/** Port; 0 for any free one. */
	readonly port: number;
	/** TLS listener; null for none. */
	readonly secure: SecureListenerOptions | null;
	/** Permissions of agents besides reading mail of their inboxes. */
	readonly mcpExtras: readonly McpExtra[];
	readonly limits: ConnectionLimits;
	readonly log: Log;
};

/** Timeouts of requests. `BodyQueue` limits the time for a body, because the time in its queue does not count. */
const timeouts = {headersTimeout: 10_000, requestTimeout: 0, connectionsCheckingInterval: 5_000};

/** Timeout between two requests. It exceeds the timeout of clients, so that none sends a request into a closing connection. */
const keepAliveTimeout = 15_000;

/** Address of clients in this process. */
const internalAddress = '127.0.0.1';

/** Interval of checks for stalled connections. */
const lookEveryMs = 1000;

/** Backlog of the listener. Clients beyond it retry after a second. */
const connectionsAtOnce = 4096;

/** Limits during shutdown: for active requests, for idle connections, and the interval of checks. */
const stopping = {graceMs: 5000, lingerMs: 300, sweepMs: 50};

/** HTTP server of the `/v1` API, with an optional TLS listener. */
export class HttpServer implements Part {
	readonly name = 'http';
	readonly #options: HttpServerOptions;
	readonly #polls: Polls;
	readonly #follower: Follower;
	readonly #server: Server;
	/** Serves connections of this process, which take no slots. */
	readonly #internal: Server;
	readonly #secure: SecureListener | null;
	readonly #connections: HttpConnections;
	/** Aborts when the server stops. */
	readonly #ending = new AbortController();
	#ticks: NodeJS.Timeout | undefined;

	constructor(services: Services, options: HttpServerOptions) {
		this.#options = options;
		this.#follower = services.follower;
		const connections = new HttpConnections(
			options.limits,
			services.admission,
			(request, response) => void handle(request, response),
		);
		this.#connections = connections;
		this.#polls = new Polls(services, connections, options.log);
		const mcp = {
			extras: options.mcpExtras,
			url: () => this.url,
			ending: this.#ending.signal,
			connect: () => this.#connect(),
		};
		const handle = createKoaApp(services, {...options, polls: this.#polls, connections, mcp}).callback();
		// The application rejects a missing Host header with a problem response.
		this.#server = createServer({...timeouts, keepAliveTimeout, requireHostHeader: false}, this.#connections.answer);
		this.#internal = createServer(
			{...timeouts, requireHostHeader: false},
			(request, response) => void connections.turn(request).then(async () => handle(request, response)),
		);
		this.#server.on('connection', this.#connections.take);
		// By default, Node.js would answer these requests itself, without limits, and let bodies be sent before their turn.
		this.#server.on('checkExpectation', this.#connections.answer);
		this.#server.on('checkContinue', this.#connections.answer);
		this.#server.on('clientError', answerClientError);
		this.#secure =
			options.secure &&
			new SecureListener(options.secure, {
				takePlace: () => connections.takeSlot(),
				add: socket => connections.add(socket),
				serve: socket => this.#server.emit('connection', socket),
			});
	}

	/** Base URL, known after `start`. */
	get url(): string {
		return `http://${this.#reachable(this.port)}/v1`;
	}

	/** Base URL over TLS; null if there is no TLS listener. */
	get secureUrl(): string | null {
		return this.#secure && `https://${this.#reachable(this.#secure.port)}/v1`;
	}

	/** Address of the TLS listener; undefined if there is none. */
	secureAddress(): HostPort | undefined {
		return this.#secure ? {host: this.#options.host, port: this.#secure.port} : undefined;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	async start(): Promise<void> {
		const {host, port} = this.#options;
		this.#ticks = setInterval(() => this.#connections.tick(), lookEveryMs).unref();
		await once(this.#server.listen({port, host, backlog: connectionsAtOnce}), 'listening');
		await this.#secure?.listen(host, connectionsAtOnce).catch(async error => {
			await this.stop();
			throw error;
		});
	}

	/** Rejects new requests, ends open polls and event streams, and lets other requests finish. */
	async stop(): Promise<void> {
		this.#ending.abort();
		this.#polls.stop();
		this.#follower.stop();
		const deadline = setTimeout(() => this.#server.closeAllConnections(), stopping.graceMs);
		let quietSince = Date.now();
		const sweep = setInterval(() => {
			quietSince = this.#connections.activeCount === 0 ? quietSince : Date.now();
			this.#server.closeIdleConnections();
			if (Date.now() - quietSince > stopping.lingerMs) {
				// Also closes connections without any request, which do not count as idle.
				this.#server.closeAllConnections();
			}
		}, stopping.sweepMs);
		await Promise.all([new Promise(resolve => this.#server.close(resolve)), this.#secure?.close()]);
		clearInterval(sweep);
		clearInterval(this.#ticks);
		clearTimeout(deadline);
	}

	#connect(): Duplex {
		const [client, server] = duplexPair();
		client.once('close', () => server.destroy());
		server.once('close', () => server.writableFinished || client.destroy());
		this.#internal.emit('connection', Object.assign(server, {remoteAddress: internalAddress, localPort: this.port}));
		return client;
	}

	#reachable(port: number): string {
		return hostPort({host: reachableHost(this.#options.host), port});
	}
}

type SecureListenerOptions = {
	/** Port; 0 for any free one. */
	readonly port: number;
	readonly certificates: Certificates;
};

/** Receiver of TLS connections. */
type ConnectionSink = {
	/** Takes a slot for a connection; false if there is none. */
	takePlace(): boolean;
	/** Adds a connection that has a slot, before its handshake. */
	add(socket: TLSSocket): void;
	/** Serves a connection after its handshake. */
	serve(socket: TLSSocket): void;
};

const handshakeDeadlineMs = 10_000;

/** TLS listener. A connection takes a slot before its handshake. */
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

	/** Stops listening and closes connections in handshake. Resolves when all others have closed. */
	async close(): Promise<void> {
		const closed = new Promise(resolve => this.#server.close(resolve));
		for (const socket of this.#handshakes) {
			socket.destroy();
		}

		await closed;
	}

	async #take(raw: Socket): Promise<void> {
		// Errors during the handshake mean that the client disconnected.
		raw.on('error', () => {});
		const {contextFor} = this.#options.certificates;
		const secureContext = await contextFor(null).catch(() => undefined);
		// A refusal cannot be sent before the handshake.
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
		socket.once('secure', () => {
			// Each renegotiation of TLS 1.2 costs a signature.
			socket.disableRenegotiation();
			return end() && this.#handover.serve(socket);
		});
	}
}
