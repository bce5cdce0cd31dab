import type net from 'node:net';
import type {Socket} from 'node:net';
import {type SecureContext, TLSSocket} from 'node:tls';
import {type SMTPConnection, verifyPeerCertificate} from 'smtp-server/lib/smtp-connection.js';
import type {TurnBudget} from '../lib/queue/event-loop.js';

/** TLS of the SMTP listener. */
export type SmtpTls = {
	/** `require` rejects mail over unencrypted connections. */
	readonly mode: 'offer' | 'require';
	/** Port of implicit TLS; 0 is any free port. */
	readonly port: number;
	readonly certificates: {
		/** Certificate for the server name that a client requests by SNI; null if it requests none. */
		contextFor(servername: string | null): Promise<SecureContext>;
		/** PEM. If there is one, clients are asked for a certificate, which is optional. */
		readonly clientAuthority: string | undefined;
	};
};

/** Cipher and version of a TLS connection, and the subject of a verified client certificate. */
export type TlsFacts = {
	readonly name: string;
	readonly standardName: string;
	readonly version: string;
	readonly client?: string | undefined;
};

/** Encryption of a session. */
export type SessionSafety = 'none' | 'starttls' | 'implicit';

/** Commands that are allowed before STARTTLS if TLS is required (RFC 3207, section 4). */
const plainCommands: readonly string[] = ['EHLO', 'NOOP', 'QUIT', 'STARTTLS'];

type SessionTlsOptions = {
	/** Null without TLS. */
	readonly tls: SmtpTls | null;
	/** True if the connection begins with TLS. */
	readonly isImplicit: boolean;
	/** Handshakes per turn of the event loop, in all sessions: their signatures must not delay commands. */
	readonly handshakeBudget: TurnBudget;
	/** Ends the connection with this reply, if it can be sent. */
	end(reply: string): void;
	onFailure(reason: string, servername: string | null): void;
	/** Called if a client certificate could not be verified. */
	onUnverified(reason: string): void;
	/** Called for errors after the handshake. */
	onError(error: Error): void;
};

/**
 * TLS handshakes of one connection. The handshake of the library is not used: it chooses the certificate too late to restrict
 * versions, and does not say why a handshake failed.
 */
export class SessionTls {
	readonly #connection: SMTPConnection;
	readonly #options: SessionTlsOptions;
	/** Start of the handshake under way, in milliseconds. */
	#startedAt: number | undefined;
	#hasClientHello = false;
	/** Name that the client requested by SNI. */
	servername: string | null = null;

	constructor(connection: SMTPConnection, options: SessionTlsOptions) {
		this.#connection = connection;
		this.#options = options;
		connection.needsUpgrade = options.isImplicit;
		connection.secure = options.isImplicit;
		connection.session.secure = options.isImplicit;
	}

	get safety(): SessionSafety {
		return this.#options.isImplicit ? 'implicit' : this.#connection.secure ? 'starttls' : 'none';
	}

	/** True while TLS is required and missing. */
	get isMissing(): boolean {
		return this.#options.tls?.mode === 'require' && !this.#connection.secure;
	}

	/** True if the command may be sent now. */
	allows(command: Buffer): boolean {
		const [name = ''] = command.toString('latin1', 0, 9).toUpperCase().split(' ');
		return !this.isMissing || plainCommands.includes(name);
	}

	/** Starts a handshake. Commands that were pipelined before it are dropped (RFC 3207, section 5). */
	upgrade(callback: () => void, done: () => void): void {
		const connection = this.#connection;
		const socket = connection._socket;
		if (connection._parser) {
			socket.unpipe(connection._parser);
			connection._parser.isClosed = true;
		}

		connection._parser = connection._createParser();
		connection._upgrading = true;
		this.#startedAt = Date.now();
		setImmediate(callback);
		while (!connection.needsUpgrade && socket.read() !== null);
		void this.#handshake(socket, done);
	}

	/** Ends a handshake that takes longer than `limitMs`. A client that sent nothing expects a plain-text greeting. */
	endIfSlow(now: number, limitMs: number): void {
		if (this.#startedAt === undefined || now - this.#startedAt <= limitMs) {
			return;
		}

		if (this.#hasClientHello) {
			this.#fail('the handshake timed out');
		} else {
			this.#endPlain();
		}
	}

	/** Ends the connection of a client that starts with TLS on a port without it: it takes the greeting for a broken handshake. */
	rejectHandshake(onHandshake: () => void): void {
		if (!this.#connection.secure) {
			this.#connection._socket.prependOnceListener('data', bytes => {
				if (beginsHandshake(bytes)) {
					onHandshake();
					this.#options.end('This port does not support implicit TLS');
				}
			});
		}
	}

	async #handshake(socket: net.Socket, done: () => void): Promise<void> {
		const opening = await peekOpening(socket);
		if (!opening?.isTls) {
			if (opening) {
				this.#endPlain();
			}

			return;
		}

		this.#hasClientHello = true;
		this.servername = opening.servername;
		try {
			const context = await this.#options.tls?.certificates.contextFor(opening.servername);
			this.#options.handshakeBudget.add(() => {
				if (!socket.destroyed && !this.#connection._closing) {
					this.#wrap(socket, context, done);
				}

				return {cost: 1, hasMore: false};
			});
		} catch (error) {
			this.#fail(`no certificate is available: ${error instanceof Error ? error.message : error}`);
		}
	}

	#wrap(plain: net.Socket, secureContext: SecureContext | undefined, done: () => void): void {
		const connection = this.#connection;
		const requestCert = this.#options.tls?.certificates.clientAuthority !== undefined;
		const options = {isServer: true, requestCert, rejectUnauthorized: false, ...(secureContext && {secureContext})};
		plain.removeAllListeners();
		plain.setTimeout(0);
		const socket = new TLSSocket(plain, options);
		// Destroying the plain socket under a TLS socket would leave the latter open.
		connection._socket = socket;
		plain.on('error', error => socket.destroy(error));
		socket.on('_tlsError', error => socket.destroy(error));
		socket.on('error', error => {
			if (connection._upgrading) {
				this.#fail(explainHandshake(error));
			} else {
				this.#options.onError(error);
			}
		});
		socket.once('close', hadError => {
			if (connection._upgrading && !hadError && !connection._closing) {
				this.#fail(explainHandshake(undefined));
			}

			connection._onCloseEvent(hadError);
		});
		connection._armTimeout(socket);
		socket.once('secure', () => {
			verifyPeerCertificate(socket, options);
			this.#complete(socket, done);
			if (socket.authorizationError && socket.getPeerX509Certificate()) {
				this.#options.onUnverified(String(socket.authorizationError));
			}
		});
	}

	/** Starts the session anew: what was said in plain text is forgotten (RFC 3207, section 4.2). */
	#complete(socket: TLSSocket, done: () => void): void {
		const connection = this.#connection;
		if (!connection._parser) {
			return;
		}

		this.#startedAt = undefined;
		connection._upgrading = false;
		connection.secure = true;
		connection.session.secure = true;
		connection.session.user = false;
		connection.hostNameAppearsAs = false;
		connection.openingCommand = false;
		const facts: TlsFacts = {...socket.getCipher(), version: socket.getProtocol() ?? '', ...clientOf(socket)};
		connection.tlsOptions = facts;
		connection.session.servername = this.servername ?? '';
		connection._resetSession();
		socket.disableRenegotiation();
		socket.pipe(connection._parser);
		done();
	}

	/** Ends the connection of a client that sends plain text where a handshake is due. */
	#endPlain(): void {
		this.#connection._upgrading = false;
		this.#startedAt = undefined;
		const {needsUpgrade} = this.#connection;
		this.#options.end(needsUpgrade ? 'This port requires implicit TLS' : 'A TLS handshake was expected');
	}

	#fail(reason: string): void {
		if (this.#startedAt !== undefined) {
			this.#startedAt = undefined;
			this.#options.onFailure(reason, this.servername);
		}

		this.#connection._socket.destroy();
	}
}

/** Subject of a verified client certificate. */
function clientOf(socket: TLSSocket): Pick<TlsFacts, 'client'> {
	const subject = socket.authorized ? socket.getPeerX509Certificate()?.subject : undefined;
	return subject === undefined ? {} : {client: subject.replaceAll('\n', ', ')};
}

/** First bytes that a client sends. */
export type Opening = {
	/** True for a TLS handshake. */
	readonly isTls: boolean;
	/** Server name that the client requests by SNI (RFC 6066, section 3), in lower case. */
	readonly servername: string | null;
};

/** First byte of a TLS record with a handshake, and the lengths of the record header and the message header. */
const handshakeType = 0x16;
const recordHeader = 5;
const messageHeader = 4;

/** True if the bytes begin a TLS handshake. */
function beginsHandshake(bytes: Buffer): boolean {
	return bytes[0] === handshakeType && (bytes.length < 2 || bytes[1] === 3);
}

/**
 * Reads the first bytes of a connection, and leaves them in the socket. The server name is read from the first record of at most
 * 16 KiB, where all clients write it. Returns undefined if the client leaves before.
 */
export function peekOpening(socket: Socket): Promise<Opening | undefined> {
	return new Promise(resolve => {
		const chunks: Buffer[] = [];
		let length = 0;
		let wanted = 1;
		const finish = (opening?: Opening) => {
			socket.off('readable', read).off('close', leave);
			if (opening) {
				socket.unshift(Buffer.concat(chunks));
			}

			resolve(opening);
		};
		const leave = () => finish();
		const read = () => {
			for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
				chunks.push(chunk);
				length += chunk.length;
			}

			// Concatenates only when enough bytes arrived: a client may send them one by one.
			while (length >= wanted) {
				const bytes = Buffer.concat(chunks);
				const next = beginsHandshake(bytes) ? recordLength(bytes) : 0;
				if (length >= next) {
					finish({isTls: next > 0, servername: next > 0 ? servernameIn(bytes.subarray(0, next)) : null});
					return;
				}

				wanted = next;
			}
		};
		socket.on('readable', read).on('close', leave);
		read();
	});
}

function recordLength(bytes: Buffer): number {
	return bytes.length < recordHeader ? recordHeader : recordHeader + Math.min(bytes.readUInt16BE(3), 0x4000);
}

/** Server name in a ClientHello (RFC 8446, section 4.1.2); null if there is none, or no valid one. */
function servernameIn(record: Buffer): string | null {
	const short = (at: number) => ((record[at] ?? 0) << 8) | (record[at + 1] ?? 0);
	// Version and random, then session id, ciphers and compressions, each with its length.
	let at = recordHeader + messageHeader + 34;
	at += 1 + (record[at] ?? 0);
	at += 2 + short(at);
	at += 1 + (record[at] ?? 0);
	for (at += 2; at < record.length; at += 4 + short(at + 2)) {
		// Extension 0 is a list of names. There is one type of names, and one name of it.
		if (short(at) === 0) {
			const name = record.toString('latin1', at + 9, at + 9 + short(at + 7));
			return /^[\w.-]{1,255}$/.test(name) ? name.toLowerCase() : null;
		}
	}

	return null;
}

/** Explanations of failed handshakes by OpenSSL error code. */
const explanations: ReadonlyArray<readonly [code: RegExp, text: string]> = [
	[
		/ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE)/,
		'the client does not trust the certificate',
	],
	[/PROTOCOL|VERSION/, 'client and server have no TLS version in common'],
	[
		/CIPHER|HANDSHAKE_FAILURE|NO_SUITABLE|INSUFFICIENT_SECURITY/,
		'client and server have no cipher or key type in common',
	],
	[/ALERT/, 'the client aborted the handshake'],
];

/** Error of OpenSSL, whose `reason` is shorter than its message. */
type TlsError = NodeJS.ErrnoException & {readonly reason?: string};

/**
 * Explains why a handshake failed, or (`isDone`) a connection right after it. There is no error if the client disconnected: most
 * clients that reject a certificate do so without an alert.
 */
export function explainHandshake(error: TlsError | undefined, isDone = false): string {
	const {code = 'ECONNRESET', message, reason = message} = error ?? {};
	if (code === 'ECONNRESET' || code === 'EPIPE') {
		return `the client disconnected ${isDone ? 'right after' : 'during'} the handshake, probably because it does not trust the certificate`;
	}

	const text = explanations.find(([pattern]) => pattern.test(code))?.[1] ?? `the handshake failed: ${reason}`;
	const [, alert] = /ALERT_(\w+)/.exec(code) ?? [];
	return alert === undefined ? text : `${text} (alert ${alert.toLowerCase().replaceAll('_', ' ')})`;
}
