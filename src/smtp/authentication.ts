import type {SMTPServerAuthentication} from 'smtp-server';
import {hashSecret, isSameSecret} from '../domain/accounts/secrets.js';
import {FailedLogins, type InboxLogins, type PasswordCheck} from '../services/inboxes/logins.js';
import {Refusal, tooManyFailures} from './reply.js';
import {loginOf, type SessionUser} from './session.js';

/** Who may log in besides inboxes: everybody, nobody, or who knows this login. */
export type OtherLogins = 'any' | 'inbox' | {readonly user: string; readonly password: string};

export type AuthenticationOptions = {
	readonly others: OtherLogins;
	/** What becomes of tokens: `expired` refuses the first one of each user, so that an app can be seen to get another. */
	readonly oauth: 'accept' | 'reject' | 'expired';
	readonly logins: Pick<InboxLogins, 'named' | 'inboxOf'>;
	readonly now: () => Date;
};

/** Ids of inboxes are UUIDs of version 7; those that mail services give as user names are of version 4. */
const inboxId = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

/** Users whose first token is remembered, the newest. */
const maxUsers = 10_000;

/** Tells who a client is by what it says to AUTH. */
export class Authentication {
	readonly #options: AuthenticationOptions;
	readonly #failed: FailedLogins;
	/** The first token of each user, hashed as the user is. */
	readonly #expired = new Map<string, string>();

	constructor(options: AuthenticationOptions) {
		this.#options = options;
		this.#failed = new FailedLogins(options.now);
	}

	/** Throws a `Refusal`. */
	async identify(auth: SMTPServerAuthentication, host: string): Promise<SessionUser> {
		const {username = ''} = auth;
		if (this.#failed.turnsAway(host, username)) {
			throw tooManyFailures;
		}

		try {
			return {...loginOf(auth), ...(await this.#admit(username, auth))};
		} catch (error) {
			throw error instanceof Refusal && this.#failed.add(host, username) ? tooManyFailures : error;
		}
	}

	/** Throws a `Refusal` where the password of the inbox is another one by now: a session may last longer. */
	async assertHolds({inboxId, proof}: SessionUser): Promise<void> {
		if (inboxId === undefined || !proof) {
			return;
		}

		const {logins} = this.#options;
		const isThere = (await logins.named(inboxId)) !== undefined;
		if (isThere && !(await logins.inboxOf(inboxId, proof))) {
			throw new Refusal(530, 'The password of this inbox has changed; reconnect and log in again');
		}
	}

	async #admit(username: string, auth: SMTPServerAuthentication): Promise<Pick<SessionUser, 'inboxId' | 'proof'>> {
		const {others, logins} = this.#options;
		this.#assertToken(username, auth.accessToken);
		const proof = proofOf(auth);
		const inbox = await logins.inboxOf(username, proof);
		if (inbox) {
			return {inboxId: inbox.id, proof};
		}

		if (typeof others === 'object') {
			const isRight = [isSameSecret(username, others.user), proof(others.password)].every(Boolean);
			return isRight ? {} : refuse('Invalid user name or password');
		}

		if (await logins.named(username)) {
			refuse(`<${username}>: wrong password for this inbox`);
		}

		if (inboxId.test(username)) {
			refuse(`<${username}>: no such inbox`);
		}

		return others === 'any' ? {} : refuse('No inbox has this user name');
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
		const first = this.#expired.get(user) ?? hashSecret(token);
		this.#expired.set(user, first);
		if (this.#expired.size > maxUsers) {
			this.#expired.delete(this.#expired.keys().next().value ?? '');
		}

		if (first === hashSecret(token)) {
			refuse('The token has expired');
		}
	}
}

function proofOf({password, accessToken, validatePassword}: SMTPServerAuthentication): PasswordCheck {
	return validatePassword ?? (wanted => isSameSecret(accessToken ?? password ?? '', wanted));
}

function refuse(reason: string): never {
	throw new Refusal(535, reason);
}
