import type {HostPort} from '../lib/io/hosts.js';
import type {Part} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import {Listener, type SessionCounts, type SessionLimits} from './listener.js';
import {createProtocol, type Intake, type ProtocolOptions} from './protocol.js';

export type SmtpServerOptions = ProtocolOptions & {
	readonly host: string;
	/** 0 is any free port. */
	readonly port: number;
	readonly limits: SessionLimits;
	/** Time for one mail, from the connect or the previous mail to the reply, in milliseconds. */
	readonly sessionDeadlineMs: number;
	/** Time for a TLS handshake, in milliseconds. */
	readonly handshakeDeadlineMs: number;
};

export type SmtpServer = Part & {
	/** Address of the listener; undefined while it accepts no connections. */
	address(): HostPort | undefined;
	/** Address of the listener with implicit TLS; undefined if there is none. */
	secureAddress(): HostPort | undefined;
	/** Number of connections. */
	sessions(): number;
	sessionCounts(): SessionCounts;
};

/** Interval in which sessions are checked while the server stops, in milliseconds. */
const stopCheckMs = 20;

/**
 * Creates the SMTP server. A mail is answered with 250 after the intake stored it. `stop` accepts no new connections, ends
 * delays and idle sessions, and waits until the mail of the others was answered.
 */
export function createSmtpServer(options: SmtpServerOptions, intake: Intake, log: Log): SmtpServer {
	const {host, port, tls, limits, sessionDeadlineMs, handshakeDeadlineMs, stopDeadlineMs} = options;
	const listener = new Listener(createProtocol(options, intake, log), limits, {
		tls,
		faults: intake.faults,
		log,
		onRefused: refusal => intake.refused(refusal),
	});
	let timer: NodeJS.Timeout | undefined;
	return {
		name: 'SMTP',
		async start() {
			await listener.open(host, port, tls?.port);
			const intervalMs = Math.min(1000, sessionDeadlineMs / 4, handshakeDeadlineMs / 4);
			timer = setInterval(() => listener.endOverdue(sessionDeadlineMs, handshakeDeadlineMs), intervalMs).unref();
		},
		async stop() {
			clearInterval(timer);
			const closed = listener.close();
			const deadline = setTimeout(() => listener.endAll(), stopDeadlineMs);
			listener.endDelays();
			listener.endIdle();
			// The others become idle one by one, as their mail is answered.
			timer = setInterval(() => listener.endIdle(), stopCheckMs);
			await closed;
			clearTimeout(deadline);
			clearInterval(timer);
		},
		address: () => listener.address,
		secureAddress: () => listener.secureAddress,
		sessions: () => listener.connections.size,
		sessionCounts: () => listener.counts(),
	};
}
