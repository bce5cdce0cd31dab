import type {SMTPServerAuthentication} from 'smtp-server';
import type {SMTPConnection} from 'smtp-server/lib/smtp-connection.js';
import {hashSecret, isSameSecret} from '../domain/accounts/secrets.js';
import {FailedLogins, type InboxLogins, type PasswordCheck} from '../services/inboxes/logins.js';
import {encryptionRequired, malformedBase64, Refusal, tooManyFailures} from './reply.js';
import {loginOf, type SessionUser} from './session.js';

export type AuthenticationOptions = {
	/** Logins accepted in addition to inbox logins: all, none, or a configured user and password. */
	readonly loginPolicy: 'any' | 'inbox' | {readonly user: string; readonly password: string};
	/** Treatment of OAuth tokens. `expired` rejects the first token of each user, to test whether an app renews it. */
	readonly oauth: 'accept' | 'reject' | 'expired';
	readonly logins: Pick<InboxLogins, 'named' | 'inboxOf'>;
	readonly now: () => Date;
};

/** Id of an inbox: a UUID of version 7. User names of mail services that are UUIDs have version 4. */
const inboxId = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

/** Maximum number of users whose first token is remembered; the oldest are dropped first. */
const maxUsers = 10_000;

/** Checks the credentials of SMTP sessions. */
export class Authentication {
	readonly #options: AuthenticationOptions;
	readonly #failed: FailedLogins;
	/** Hash of the first token by hash of the user. */
	readonly #firstTokens = new Map<string, string>();

	constructor(options: AuthenticationOptions) {
		this.#options = options;
		this.#failed = new FailedLogins(options.now);
	}

	/** Returns the user of the credentials. Throws a `Refusal`. */
	async identify(auth: SMTPServerAuthentication, host: string): Promise<SessionUser> {
		const {username = ''} = auth;
		try {
			return {...loginOf(auth), ...(await this.#admit(username, auth))};
		} catch (error) {
			throw error instanceof Refusal && this.#failed.add(host) ? tooManyFailures : error;
		}
	}

	/** Throws a `Refusal` if the password of the inbox changed since the login: a session may last for hours. */
	async assertValid({inboxId, checkPassword}: SessionUser): Promise<void> {
		if (inboxId === undefined || !checkPassword) {
			return;
		}

		const {logins} = this.#options;
		if ((await logins.named(inboxId)) && !(await logins.inboxOf(inboxId, checkPassword))) {
			throw new Refusal(530, 'The password of this inbox has changed; reconnect and log in again');
		}
	}

	async #admit(
		username: string,
		auth: SMTPServerAuthentication,
	): Promise<Pick<SessionUser, 'inboxId' | 'checkPassword'>> {
		const {loginPolicy, logins} = this.#options;
		this.#assertToken(username, auth.accessToken);
		const checkPassword = passwordCheck(auth);
		const inbox = await logins.inboxOf(username, checkPassword);
		if (inbox) {
			return {inboxId: inbox.id, checkPassword};
		}

		if (typeof loginPolicy === 'object') {
			const isRight = [isSameSecret(username, loginPolicy.user), checkPassword(loginPolicy.password)].every(Boolean);
			return isRight ? {} : refuse('Invalid user name or password');
		}

		if (await logins.named(username)) {
			refuse(`<${username}>: wrong password for this inbox`);
		}

		if (inboxId.test(username)) {
			refuse(`<${username}>: no such inbox`);
		}

		return loginPolicy === 'any' ? {} : refuse('No inbox has this user name');
	}

	#assertToken(username: string, token: string | undefined): void {
		const {oauth} = this.#options;
		if (token === undefined || oauth === 'accept') {
			return;
		}

		if (oauth === 'reject') {
			refuse('The token is not valid');
		}

		const user = hashSecret(username);
		const first = this.#firstTokens.get(user) ?? hashSecret(token);
		this.#firstTokens.set(user, first);
		if (this.#firstTokens.size > maxUsers) {
			this.#firstTokens.delete(this.#firstTokens.keys().next().value ?? '');
		}

		if (first === hashSecret(token)) {
			refuse('The token has expired');
		}
	}
}

function passwordCheck({password, accessToken, validatePassword}: SMTPServerAuthentication): PasswordCheck {
	return validatePassword ?? (wanted => isSameSecret(accessToken ?? password ?? '', wanted));
}

function refuse(reason: string): never {
	throw new Refusal(535, reason);
}

/** Handler of a command in the library. */
export type CommandHandler = (command: Buffer, done: () => void) => void;

/**
 * AUTH in one session (RFC 4954): only base64 is accepted, not during a mail transaction, and without TLS only if that is allowed.
 * Mechanisms with tokens are implemented here: the library lacks one, and does not say why it rejects a token.
 */
export class SessionAuth {
	readonly #connection: SMTPConnection;
	#isGreeting = false;

	constructor(connection: SMTPConnection) {
		this.#connection = connection;
	}

	/** False while EHLO must not announce AUTH. At other times the command stays known, to explain that it needs TLS. */
	get isAnnounced(): boolean {
		return !(this.#isGreeting && this.#needsTls);
	}

	/** Wraps the handler of EHLO. */
	onGreeting(handle: CommandHandler): CommandHandler {
		return (command, done) => {
			this.#isGreeting = true;
			handle(command, () => {
				this.#isGreeting = false;
				done();
			});
		};
	}

	/** Rejects the answer to a challenge if it is not base64. Returns true then. */
	rejectsLine(line: Buffer, done: () => void): boolean {
		const connection = this.#connection;
		if (!connection._nextHandler || connection._upgrading || isBase64(line.toString('latin1').trim())) {
			return false;
		}

		connection._nextHandler = false;
		connection.send(501, malformedBase64);
		connection._whenWritable(done);
		return true;
	}

	/** Wraps the handler of AUTH. */
	onAuth(handle: CommandHandler): CommandHandler {
		return (command, done) => {
			const {session} = this.#connection;
			const [, name = '', initial = '', ...rest] = command.toString('latin1').trim().split(/\s+/);
			const mechanism = bearerMechanisms.find(known => known === name.toUpperCase());
			const refuse = (code: number, text: string) => {
				this.#connection.send(code, text);
				done();
			};
			if (this.#needsTls) {
				refuse(538, encryptionRequired);
			} else if (session.envelope.mailFrom) {
				refuse(503, 'Error: AUTH is not permitted during a mail transaction');
			} else if (initial !== '=' && !isBase64(initial)) {
				refuse(501, malformedBase64);
			} else if (mechanism === undefined || session.user) {
				handle(command, done);
			} else if (rest.length > 0) {
				refuse(501, `Error: syntax: AUTH ${mechanism} token`);
			} else if (initial === '') {
				this.#connection._nextHandler = (line, next) =>
					this.#acceptToken(mechanism, line.toString('latin1').trim(), next);
				this.#connection.send(334);
				done();
			} else {
				this.#acceptToken(mechanism, initial, done);
			}
		};
	}

	/** Checks a token. The reason for rejecting it is a challenge, which the client answers to get the reply (RFC 7628, section 3.2.3). */
	#acceptToken(method: BearerMechanism, line: string, done: () => void): void {
		const connection = this.#connection;
		const token = line === '*' ? undefined : readBearer(method, Buffer.from(line, 'base64').toString());
		if (!token) {
			connection.send(501, line === '*' ? 'Authentication aborted' : 'Error: invalid userdata');
			done();
			return;
		}

		// The type of the library lacks OAUTHBEARER.
		const auth = {
			...token,
			method: method as SMTPServerAuthentication['method'],
			validatePassword: (wanted: string) => isSameSecret(token.accessToken, wanted),
		};
		connection._server.onAuth(auth, connection.session, (error, response) => {
			const code = error instanceof Refusal ? error.responseCode : 535;
			if (response?.user) {
				connection.session.user = response.user;
				connection.session.transmissionType = connection._transmissionType();
				connection.send(235, 'Authentication successful');
			} else if (code === 421) {
				connection.send(421, error?.message);
			} else {
				connection._nextHandler = (_line, next) => {
					connection.send(code, error?.message);
					next();
				};
				connection.send(334, bearerChallenge(method));
			}

			done();
		});
	}

	get #needsTls(): boolean {
		return !this.#connection.secure && this.#connection._server.options.allowInsecureAuth === false;
	}
}

/** True if the line can answer a challenge: base64, or `*` to abort. */
function isBase64(line: string): boolean {
	return line === '*' || (line.length % 4 === 0 && /^[a-z\d+/]*={0,2}$/i.test(line));
}

/** Mechanisms with a token: XOAUTH2 of Gmail and Outlook, and OAUTHBEARER (RFC 7628). */
export const bearerMechanisms = ['XOAUTH2', 'OAUTHBEARER'] as const;

type BearerMechanism = (typeof bearerMechanisms)[number];

/** First field of each mechanism, with the user name, which is optional in OAUTHBEARER (RFC 5801, section 4). */
const firstFields: Readonly<Record<BearerMechanism, RegExp>> = {
	XOAUTH2: /^user=([^\p{Cc}]+)$/u,
	OAUTHBEARER: /^[ny],(?:a=([^\p{Cc},]+))?,$/u,
};

/** Parses the message of a mechanism. Returns undefined if it is malformed. */
function readBearer(
	mechanism: BearerMechanism,
	message: string,
): {readonly username: string; readonly accessToken: string} | undefined {
	const [start = '', ...fields] = message.split('\x01');
	const first = firstFields[mechanism].exec(start);
	const accessToken = fields
		.map(field => /^auth=bearer +([!-~]+)$/i.exec(field)?.[1])
		.find(token => token !== undefined);
	if (!first || accessToken === undefined || !message.endsWith('\x01\x01')) {
		return undefined;
	}

	const name = first[1] ?? '';
	const username = mechanism === 'XOAUTH2' ? name : name.replaceAll('=2C', ',').replaceAll('=3D', '=');
	return {username, accessToken};
}

/** Challenge that rejects a token, in base64, as Gmail sends it or as RFC 7628, section 3.2.2 defines it. */
function bearerChallenge(mechanism: BearerMechanism): string {
	const failure = mechanism === 'XOAUTH2' ? {status: '401', schemes: 'bearer'} : {status: 'invalid_token'};
	return Buffer.from(JSON.stringify({...failure, scope: 'https://mail.google.com/'})).toString('base64');
}
