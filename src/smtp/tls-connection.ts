import type net from 'node:net';
import {type SecureContext, TLSSocket} from 'node:tls';
import type {SMTPServer} from 'smtp-server';
import {SMTPConnection, type SMTPConnectionOptions, verifyPeerCertificate} from 'smtp-server/lib/smtp-connection.js';
import type {Pace} from '../lib/queue/event-loop.js';
import {peekOpening} from './client-hello.js';
import {explainHandshake} from './handshake-failure.js';

/** How connections are made safe. */
export type SmtpTls = {
	/** `require` takes no mail that comes in the clear. */
	readonly mode: 'offer' | 'require';
	/** Of the listener whose connections begin with TLS; 0 is any free one. */
	readonly port: number;
	readonly certificates: {
		/** For a client that asks for that name by SNI; null is one that asks for none. */
		contextFor(servername: string | null): Promise<SecureContext>;
		/** PEM. Where there is one, clients are asked for a certificate, and need not have one. */
		readonly clientAuthority: string | undefined;
	};
};

export type TlsConnectionOptions = SMTPConnectionOptions & {
	/** Of commands, and of handshakes, so that neither waits for the other. */
	readonly pace: Pace;
	readonly handshakePace: Pace;
	/** Null where there is no TLS. */
	readonly tls: SmtpTls | null;
	/** Whether it begins with TLS. */
	readonly isImplicit: boolean;
};

/** The cipher of a connection, its version of TLS, and the subject of the certificate that the client has shown. */
export type TlsFacts = {
	readonly name: string;
	readonly standardName: string;
	readonly version: string;
	readonly client?: string | undefined;
};

/** How a session came to be safe, if it did. */
export type SessionSafety = 'none' | 'starttls' | 'implicit';

/** Commands that may come in the clear where TLS is required (RFC 3207, section 4). */
const inTheClear: readonly string[] = ['EHLO', 'NOOP', 'QUIT', 'STARTTLS'];

/**
 * A connection of the library whose handshakes use the certificate that the client asks for. The library chooses it once
 * hands are being shaken, when the versions of TLS are settled, and does not say why a handshake failed. It emits `unverified`
 * with the reason when a client shows a certificate that does not count.
 */
export abstract class TlsConnection extends SMTPConnection {
	readonly #pace: Pace;
	readonly #tls: SmtpTls | null;
	readonly #isImplicit: boolean;
	/** When the handshake began that is under way. */
	#handshakeSince: number | undefined;
	/** The client has begun with it. */
	#hasBegun = false;
	/** What the client asked for by SNI. */
	protected servername: string | null = null;

	constructor(server: SMTPServer, socket: net.Socket, options: TlsConnectionOptions) {
		super(server, socket, options);
		this.#pace = options.handshakePace;
		this.#tls = options.tls;
		this.#isImplicit = options.isImplicit;
		this.needsUpgrade = options.isImplicit;
		this.secure = options.isImplicit;
		this.session.secure = options.isImplicit;
	}

	get safety(): SessionSafety {
		return this.#isImplicit ? 'implicit' : this.secure ? 'starttls' : 'none';
	}

	/** Ends it with this for the client, if that can be told at the moment. */
	abstract end(reason: string, context?: false): void;

	/** Is told why hands could not be shaken. */
	protected abstract noteHandshakeFailure(reason: string): void;

	override _onCommand(command: Buffer, callback: () => void = () => {}): void {
		if (this.#isClearRefused && !mayComeInTheClear(command)) {
			this.send(530, 'Must issue a STARTTLS command first');
			this._whenWritable(callback);
		} else {
			super._onCommand(command, callback);
		}
	}

	/** AUTH is not announced where it would be refused. */
	override _isSupported(command: string): boolean {
		return super._isSupported(command) && !(command === 'AUTH' && this.#isClearRefused);
	}

	get #isClearRefused(): boolean {
		return this.#tls?.mode === 'require' && !this.secure;
	}

	/** Ends a handshake that takes longer than this. Who waits for a greeting where TLS is to begin is told so. */
	protected endSlowHandshake(now: number, limitMs: number): void {
		if (this.#handshakeSince === undefined || now - this.#handshakeSince <= limitMs) {
			return;
		}

		if (this.#hasBegun) {
			this.#fail('the handshake timed out');
		} else {
			this.#endUnsafe();
		}
	}

	/** Shakes hands. What was pipelined before belongs to nothing (RFC 3207, section 5). */
	override upgrade(callback: () => void, secureCallback: () => void = () => {}): void {
		const socket = this._socket;
		if (this._parser) {
			socket.unpipe(this._parser);
			this._parser.isClosed = true;
		}

		this._parser = this._createParser();
		this._upgrading = true;
		this.#handshakeSince = Date.now();
		setImmediate(callback);
		while (!this.needsUpgrade && socket.read() !== null);
		void this.#shakeHands(socket, secureCallback);
	}

	async #shakeHands(socket: net.Socket, done: () => void): Promise<void> {
		const opening = await peekOpening(socket);
		if (!opening?.isTls) {
			if (opening) {
				this.#endUnsafe();
			}

			return;
		}

		this.#hasBegun = true;
		this.servername = opening.servername;
		try {
			const context = await this.#tls?.certificates.contextFor(opening.servername);
			this.#pace.add(() => {
				if (!socket.destroyed && !this._closing) {
					this.#begin(socket, context, done);
				}

				return {cost: 1, hasMore: false};
			});
		} catch (error) {
			this.#fail(`no certificate is available: ${error instanceof Error ? error.message : error}`);
		}
	}

	#begin(plain: net.Socket, secureContext: SecureContext | undefined, done: () => void): void {
		const requestCert = this.#tls?.certificates.clientAuthority !== undefined;
		const options = {isServer: true, requestCert, rejectUnauthorized: false, ...(secureContext && {secureContext})};
		plain.removeAllListeners();
		plain.setTimeout(0);
		const socket = new TLSSocket(plain, options);
		// Whoever ends the connection ends it from the top.
		this._socket = socket;
		plain.on('error', error => socket.destroy(error));
		socket.on('_tlsError', error => socket.destroy(error));
		socket.on('error', error => (this._upgrading ? this.#fail(explainHandshake(error)) : this._onError(error)));
		socket.once('close', hadError => {
			if (this._upgrading && !hadError && !this._closing) {
				this.#fail(explainHandshake(undefined));
			}

			this._onCloseEvent(hadError);
		});
		this._armTimeout(socket);
		socket.once('secure', () => {
			verifyPeerCertificate(socket, options);
			this.#goOn(socket, done);
			if (socket.authorizationError && socket.getPeerX509Certificate()) {
				this.emit('unverified', socket.authorizationError);
			}
		});
	}

	/** Begins anew: nothing of what was said in the clear counts (RFC 3207, section 4.2). */
	#goOn(socket: TLSSocket, done: () => void): void {
		if (!this._parser) {
			return;
		}

		this.#handshakeSince = undefined;
		this._upgrading = false;
		this.secure = true;
		this.session.secure = true;
		this.session.user = false;
		this.hostNameAppearsAs = false;
		this.openingCommand = false;
		const facts: TlsFacts = {...socket.getCipher(), version: socket.getProtocol() ?? '', ...clientOf(socket)};
		this.tlsOptions = facts;
		this.session.servername = this.servername ?? '';
		this._resetSession();
		socket.disableRenegotiation();
		socket.pipe(this._parser);
		done();
	}

	/** To a client that does not begin a handshake where one is to be. */
	#endUnsafe(): void {
		this._upgrading = false;
		this.#handshakeSince = undefined;
		this.end(this.needsUpgrade ? 'This port requires implicit TLS' : 'A TLS handshake was expected', false);
	}

	#fail(reason: string): void {
		if (this.#handshakeSince !== undefined) {
			this.#handshakeSince = undefined;
			this.noteHandshakeFailure(reason);
		}

		this._socket.destroy();
	}
}

function mayComeInTheClear(command: Buffer): boolean {
	const [name = ''] = command.toString('latin1', 0, 9).toUpperCase().split(' ');
	return inTheClear.includes(name);
}

/** The subject of a certificate that was verified. */
function clientOf(socket: TLSSocket): Pick<TlsFacts, 'client'> {
	const subject = socket.authorized ? socket.getPeerX509Certificate()?.subject : undefined;
	return subject === undefined ? {} : {client: subject.replaceAll('\n', ', ')};
}
