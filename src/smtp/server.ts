import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import type {HostPort} from '../lib/hosts.js';
import type {Part} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import {Listener, type SessionLimits} from './listener.js';
import {createProtocol, type Intake, type ProtocolOptions} from './protocol.js';

export type SmtpServerOptions = ProtocolOptions & {
	readonly host: string;
	/** 0 is any free one. */
	readonly port: number;
	readonly limits: SessionLimits;
	/** How long a client may take until a mail was answered, from its connect or its last mail, silent or not. */
	readonly sessionDeadlineMs: number;
};

export type SmtpServer = Part & {
	/** Where it listens; undefined while it takes no connections. */
	address(): HostPort | undefined;
};

/**
 * The SMTP listener. A mail is answered with 250 only after the intake has kept it. `stop` takes no new connections,
 * ends idle sessions with 421 and gives the others time to have their mail answered.
 */
export function createSmtpServer(options: SmtpServerOptions, intake: Intake, log: Log): SmtpServer {
	const listener = new Listener(createProtocol(options, intake, log), options.limits, refused =>
		intake.refused(refused),
	);
	let watch: NodeJS.Timeout | undefined;
	// Without a listener a connection that cannot be taken would end the process.
	listener.on('error', error => log.warn({err: error}, 'The SMTP listener could not take a connection.'));
	return {
		name: 'SMTP',
		async start() {
			await once(listener.listen({host: options.host, port: options.port, backlog: 4096}), 'listening');
			const everyMs = Math.min(1000, options.sessionDeadlineMs / 4);
			watch = setInterval(() => listener.endOverdue(options.sessionDeadlineMs), everyMs).unref();
		},
		async stop() {
			clearInterval(watch);
			const closed = new Promise<void>(resolve => listener.close(resolve));
			listener.endIdle();
			// The others become idle one by one, as their mail is answered.
			watch = setInterval(() => listener.endIdle(), 20);
			await closed;
			clearInterval(watch);
		},
		address() {
			const bound = listener.server.address() as AddressInfo | null;
			return bound ? {host: bound.address, port: bound.port} : undefined;
		},
	};
}
