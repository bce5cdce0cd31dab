import type {SMTPServerAuthentication, SMTPServerSession} from 'smtp-server';
import type {Session} from '../domain/mail/message.js';
import type {PasswordCheck} from '../services/inboxes/logins.js';
import type {TlsFacts} from './tls.js';

/** Maximum characters of each text. Host names have at most 255, addresses 320. */
const maxText = 320;

/** User of a session, as the library stores it. */
export type SessionUser = NonNullable<Session['auth']> & {
	/** Inbox of the login, if it is one of an inbox, and the check that its password passed. */
	readonly inboxId?: string;
	readonly proof?: PasswordCheck;
};

/** Login as messages present it. */
export function loginOf({method, username}: SMTPServerAuthentication): NonNullable<Session['auth']> {
	return {mechanism: method, user: cut(username ?? '')};
}

/** Latest facts of each session, and what they were made of. */
const latest = new WeakMap<SMTPServerSession, {readonly inputs: readonly unknown[]; readonly facts: Session}>();

/** Session facts of the current mail: the same object as long as they do not change. The user is a `SessionUser`. */
export function sessionOf(session: SMTPServerSession): Session {
	const {tlsOptions, servername, remoteAddress, hostNameAppearsAs, user} = session;
	const inputs = [tlsOptions, servername, remoteAddress, hostNameAppearsAs, user];
	const known = latest.get(session);
	if (known && inputs.every((input, index) => input === known.inputs[index])) {
		return known.facts;
	}

	const facts = factsOf(session);
	latest.set(session, {inputs, facts});
	return facts;
}

function factsOf(session: SMTPServerSession): Session {
	const {tlsOptions, servername, remoteAddress, hostNameAppearsAs} = session;
	const login = userOf(session);
	const tls: TlsFacts | false | undefined = tlsOptions;
	return {
		tls: tls
			? {
					version: tls.version,
					cipher: tls.standardName,
					servername: cut(servername || '') || null,
					...(tls.client !== undefined && {client: cut(tls.client)}),
				}
			: null,
		auth: login ? {mechanism: login.mechanism, user: login.user} : null,
		client: {host: remoteAddress, helo: cut(hostNameAppearsAs || '') || null},
	};
}

/** User of the session, if there was a login. */
export function userOf({user}: SMTPServerSession): SessionUser | undefined {
	const login: SessionUser | false | undefined = user;
	return login || undefined;
}

/** Copies the beginning of a text: a slice would keep the whole command in memory. */
function cut(text: string): string {
	return Buffer.from(text.slice(0, maxText)).toString();
}
