import type {SMTPConnection} from 'smtp-server/lib/smtp-connection.js';
import {droppedByFault, type RefusalStage} from '../contract/constants.js';
import type {NewRefusal} from '../services/refusals.js';
import {explainHandshake} from './tls.js';

/** Replies that end sessions. */
export const farewells = {stopping: 'Server shutting down', overdue: 'Session time limit exceeded'} as const;

/** Replies that refuse nothing while no mail is under way. The last is the library's. */
const idleReplies: readonly string[] = [...Object.values(farewells), 'Timeout - closing connection'];

/** Stages by the first four letters of a command, as a number. */
const stages = new Map<number, RefusalStage>(
	(['auth', 'mail', 'rcpt', 'data'] as const).map(stage => [Buffer.from(stage).readInt32BE(), stage]),
);

/** Bit mask that lower-cases four ASCII letters. */
const lowerCaseMask = 0x20202020;

/** Reports what a session refuses, and how it fails. */
export class RefusalReports {
	readonly #connection: SMTPConnection;
	readonly #report: (refusal: NewRefusal) => void;
	/** Stage of the latest command. */
	#stage: RefusalStage = 'connect';
	/** Address in the latest command, as far as it can be read. */
	#address: string | null = null;

	constructor(connection: SMTPConnection, report: (refusal: NewRefusal) => void) {
		this.#connection = connection;
		this.#report = report;
	}

	/** True while the data of a mail arrives. */
	get isReceiving(): boolean {
		const {_parser: parser} = this.#connection;
		return parser !== false && parser._dataMode;
	}

	commandBegins(command: Buffer): void {
		// Lines that follow AUTH are secret.
		if (!this.#connection._nextHandler) {
			this.#stage = stageOf(command);
			this.#address = null;
		}
	}

	addressParsed(address: string | null): void {
		this.#address = address;
	}

	handshakeBegins(): void {
		this.#stage = 'tls';
	}

	/** Reports a negative reply, unless it refuses nothing. */
	replied(code: number, text: string, isByFault: boolean): void {
		const {session} = this.#connection;
		if (code >= 400 && (isByFault || isRefusal(this.#stage, Boolean(session.envelope?.mailFrom), code, text))) {
			this.#add(session.error ?? null, text);
		}
	}

	/** Reports an error of the connection. */
	failed(error: Error): void {
		if (!this.isReceiving) {
			this.#add(null, `the connection failed: ${error.message}`);
		}
	}

	/** Reports a connection that a fault ends without a reply. */
	dropped(): void {
		this.#add(null, droppedByFault);
	}

	/** Reports a handshake that failed. `servername` is the requested name. */
	handshakeFailed(reason: string, servername: string | null): void {
		this.#stage = 'tls';
		// A client that left before its address was read, such as a port scanner, has none.
		if (this.#connection.remoteAddress !== '') {
			this.#add(null, servername === null ? reason : `${reason}; requested server name: ${servername}`);
		}
	}

	/** Reports a session that ends after the handshake and before a command, with its error if there is one. */
	endedUnused(servername: string | null, error?: NodeJS.ErrnoException): void {
		const {secure, _upgrading: isUpgrading} = this.#connection;
		if (this.#stage === 'tls' && secure && !isUpgrading) {
			this.handshakeFailed(explainHandshake(error, true), servername);
			this.#stage = 'connect';
		}
	}

	/** Reports a connection that the client closed. */
	disconnected(servername: string | null): void {
		if (this.isReceiving) {
			this.#add(null, 'the client disconnected before the end of its mail');
		} else {
			this.endedUnused(servername);
		}
	}

	#add(reply: string | null, text: string): void {
		const {remoteAddress: host, hostNameAppearsAs: helo, name, session, id} = this.#connection;
		const recipients = session.envelope?.rcptTo.map(({address}) => address) ?? [];
		const address = this.#stage === 'auth' ? (/^<([^<>]*)>: /.exec(text)?.[1] ?? null) : this.#address;
		const addresses = this.#stage === 'data' && recipients.length > 0 ? recipients : [address];
		const prefix = [`${name} `, 'Error: ', `<${address}>: `].find(start => text.startsWith(start)) ?? '';
		const reason = text.slice(prefix.length);
		const client = {host, helo: helo || null};
		this.#report({client, stage: this.#stage, addresses, reply, reason, ids: {session: id}});
	}
}

function stageOf(command: Buffer): RefusalStage {
	return (command.length >= 4 && stages.get(command.readInt32BE() | lowerCaseMask)) || 'connect';
}

/**
 * False for a negative reply that only follows from an earlier refusal, such as the one to DATA after all recipients were
 * refused, and for the end of an idle session.
 */
function isRefusal(stage: RefusalStage, hasMail: boolean, code: number, text: string): boolean {
	const follows = (stage === 'rcpt' && !hasMail) || (stage === 'data' && (!hasMail || code === 503));
	return !follows && (hasMail || !idleReplies.includes(text));
}
