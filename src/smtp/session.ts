import type {SMTPServerAuthentication, SMTPServerSession} from 'smtp-server';
import type {Session} from '../domain/mail/message.js';
import type {PasswordCheck} from '../services/inboxes/logins.js';
import type {TlsFacts} from './tls-connection.js';

/** Characters of each text: names of hosts have 255 at most, addresses 320. */
const maxText = 320;

/** What the library keeps as the user of a session. */
export type SessionUser = NonNullable<Session['auth']> & {
	/** The inbox that logged in, if one did, and what its client has shown. */
	readonly inboxId?: string;
	readonly proof?: PasswordCheck;
};

/** How the mails of who is let in say it. */
export function loginOf({method, username}: SMTPServerAuthentication): NonNullable<Session['auth']> {
	return {mechanism: method, user: cut(username ?? '')};
}

/** How the last mail of each session came, and what says so. */
const lastOnes = new WeakMap<SMTPServerSession, {readonly facts: readonly unknown[]; readonly how: Session}>();

/** How the mail comes whose data begins, the same object for all that come alike in one session. Its user is a `SessionUser`. */
export function sessionOf(session: SMTPServerSession): Session {
	const {tlsOptions, servername, remoteAddress, hostNameAppearsAs, user} = session;
	const facts = [tlsOptions, servername, remoteAddress, hostNameAppearsAs, user];
	const last = lastOnes.get(session);
	if (last && facts.every((fact, i) => fact === last.facts[i])) {
		return last.how;
	}

	const how = newSession(session);
	lastOnes.set(session, {facts, how});
	return how;
}

function newSession(session: SMTPServerSession): Session {
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

/** Who logged in, if somebody did. */
export function userOf({user}: SMTPServerSession): SessionUser | undefined {
	const login: SessionUser | false | undefined = user;
	return login || undefined;
}

/** A copy: a part of a string keeps all of it in memory, here a whole command. */
function cut(text: string): string {
	return Buffer.from(text.slice(0, maxText)).toString();
}
