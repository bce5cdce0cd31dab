import {once} from 'node:events';
import type net from 'node:net';
import type {HostPort} from '../lib/io/hosts.js';
import type {Part} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import type {NewRefusal} from '../services/refusals.js';
import {Listener, type SessionCounts, type SessionLimits} from './listener.js';
import {createProtocol, type Intake, type ProtocolOptions} from './protocol.js';

export type SmtpServerOptions = ProtocolOptions & {
	readonly host: string;
	/** 0 is any free one. */
	readonly port: number;
	readonly limits: SessionLimits;
	/** How long a client may take until a mail was answered, from its connect or its last mail, silent or not. */
	readonly sessionDeadlineMs: number;
	/** How long it may take to shake hands. */
	readonly handshakeDeadlineMs: number;
};

export type SmtpServer = Part & {
	/** Where it listens; undefined while it takes no connections. */
	address(): HostPort | undefined;
	/** Where connections begin with TLS; undefined while, or where, none do. */
	secureAddress(): HostPort | undefined;
	/** How many connections there are. */
	sessions(): number;
	sessionCounts(): SessionCounts;
};

/**
 * The SMTP listener. A mail is answered with 250 only after the intake has kept it. `stop` takes no new connections,
 * ends delays at once and idle sessions with 421, and gives the others time to have their mail answered.
 */
export function createSmtpServer(options: SmtpServerOptions, intake: Intake, log: Log): SmtpServer {
	const {host, port, tls, limits, sessionDeadlineMs, handshakeDeadlineMs, stopDeadlineMs} = options;
	const onRefused = (refused: NewRefusal) => intake.refused(refused);
	const listener = new Listener(createProtocol(options, intake, log), limits, {
		tls,
		faults: intake.faults,
		log,
		onRefused,
	});
	let watch: NodeJS.Timeout | undefined;
	// Without a listener a connection that cannot be taken would end the process.
	listener.on('error', error => log.warn({err: error}, 'SMTP listener could not accept a connection'));
	return {
		name: 'SMTP',
		async start() {
			await listen(listener.server, host, port);
			if (tls) {
				await listen(listener.secureServer, host, tls.port).catch(error => {
					listener.close();
					throw error;
				});
			}

			const everyMs = Math.min(1000, sessionDeadlineMs / 4, handshakeDeadlineMs / 4);
			watch = setInterval(() => listener.endOverdue(sessionDeadlineMs, handshakeDeadlineMs), everyMs).unref();
		},
		async stop() {
			clearInterval(watch);
			const closed = Promise.all([
				new Promise<void>(resolve => listener.close(resolve)),
				new Promise<unknown>(resolve => listener.secureServer.close(resolve)),
			]);
			const deadline = setTimeout(() => listener.endAll(), stopDeadlineMs);
			listener.endDelays();
			listener.endIdle();
			// The others become idle one by one, as their mail is answered.
			watch = setInterval(() => listener.endIdle(), 20);
			await closed;
			clearTimeout(deadline);
			clearInterval(watch);
		},
		address: () => addressOf(listener.server),
		secureAddress: () => addressOf(listener.secureServer),
		sessions: () => listener.connections.size,
		sessionCounts: () => listener.counts(),
	};
}

async function listen(server: net.Server, host: string, port: number): Promise<void> {
	await once(server.listen({host, port, backlog: 4096}), 'listening');
}

function addressOf(server: net.Server): HostPort | undefined {
	const bound = server.address() as net.AddressInfo | null;
	return bound ? {host: bound.address, port: bound.port} : undefined;
}
