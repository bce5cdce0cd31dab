import type {SMTPServerAuthentication} from 'smtp-server';
import {type BearerMechanism, bearerChallenge, bearerMechanisms, readBearer} from './bearer.js';
import {encryptionRequired, malformedBase64, Refusal} from './reply.js';
import {TlsConnection} from './tls-connection.js';

/**
 * A connection of the library that takes AUTH as RFC 4954 has it: not while a mail is under way, nothing but base64, and in
 * the clear only where that is allowed. The mechanisms with tokens are its own: the library lacks one, and tells nobody what
 * is wrong with a token.
 */
export abstract class AuthConnection extends TlsConnection {
	#isGreeting = false;

	override handler_EHLO(command: Buffer, callback: () => void): void {
		this.#isGreeting = true;
		super.handler_EHLO(command, () => {
			this.#isGreeting = false;
			callback();
		});
	}

	/** AUTH is announced where it is taken. It stays known elsewhere, so that it can be asked for. */
	override _isSupported(command: string): boolean {
		return super._isSupported(command) && !(command === 'AUTH' && this.#isGreeting && this.#needsTls);
	}

	override _onCommand(command: Buffer, callback: () => void = () => {}): void {
		if (this._nextHandler && !this._upgrading && !isBase64(command.toString('latin1').trim())) {
			this._nextHandler = false;
			this.send(501, malformedBase64);
			this._whenWritable(callback);
		} else {
			super._onCommand(command, callback);
		}
	}

	override handler_AUTH(command: Buffer, callback: () => void): void {
		const [, name = '', initial = '', ...rest] = command.toString('latin1').trim().split(/\s+/);
		const mechanism = bearerMechanisms.find(known => known === name.toUpperCase());
		const refuse = (code: number, text: string) => {
			this.send(code, text);
			callback();
		};
		if (this.#needsTls) {
			refuse(538, encryptionRequired);
		} else if (this.session.envelope.mailFrom) {
			refuse(503, 'Error: AUTH is not permitted during a mail transaction');
		} else if (initial !== '=' && !isBase64(initial)) {
			refuse(501, malformedBase64);
		} else if (mechanism === undefined || this.session.user) {
			super.handler_AUTH(command, callback);
		} else if (rest.length > 0) {
			refuse(501, `Error: syntax: AUTH ${mechanism} token`);
		} else if (initial === '') {
			this._nextHandler = (line, done) => this.#takeToken(mechanism, line.toString('latin1').trim(), done);
			this.send(334);
			callback();
		} else {
			this.#takeToken(mechanism, initial, callback);
		}
	}

	/** A token that is refused is answered with what is wrong, and once the client has taken note, with a reply (RFC 7628, section 3.2.3). */
	#takeToken(method: BearerMechanism, line: string, callback: () => void): void {
		const token = line === '*' ? undefined : readBearer(method, Buffer.from(line, 'base64').toString());
		if (!token) {
			this.send(501, line === '*' ? 'Authentication aborted' : 'Error: invalid userdata');
			callback();
			return;
		}

		const auth = {...token, method} as unknown as SMTPServerAuthentication;
		this._server.onAuth(auth, this.session, (error, response) => {
			const code = error instanceof Refusal ? error.responseCode : 535;
			if (response?.user) {
				this.session.user = response.user;
				this.session.transmissionType = this._transmissionType();
				this.send(235, 'Authentication successful');
			} else if (code === 421) {
				this.send(421, error?.message);
			} else {
				this._nextHandler = (_line, done) => {
					this.send(code, error?.message);
					done();
				};
				this.send(334, bearerChallenge(method));
			}

			callback();
		});
	}

	get #needsTls(): boolean {
		return !this.secure && this._server.options.allowInsecureAuth === false;
	}
}

/** Whether the line can be an answer to a challenge: base64, or `*`, which ends it. */
function isBase64(line: string): boolean {
	return line === '*' || (line.length % 4 === 0 && /^[a-z\d+/]*={0,2}$/i.test(line));
}
