import type {SMTPServerAuthentication, SMTPServerSession} from 'smtp-server';
import type {Session} from '../domain/message.js';
import type {TlsFacts} from './tls-connection.js';

/** Characters of each text: names of hosts have 255 at most, addresses 320. */
const maxText = 320;

/** What the library keeps as the user of a session. */
export type SessionUser = NonNullable<Session['auth']> & {
	/** The inbox that logged in, if one did. */
	readonly inboxId?: string;
};

/** How the mails of who is let in say it. */
export function loginOf({method, username}: SMTPServerAuthentication): NonNullable<Session['auth']> {
	return {mechanism: method, user: cut(username ?? '')};
}

/** How the mail comes whose data begins. Its user is a `SessionUser`. */
export function sessionOf({
	tlsOptions,
	servername,
	user,
	remoteAddress,
	hostNameAppearsAs,
}: SMTPServerSession): Session {
	const login: SessionUser | false | undefined = user;
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

/** The inbox that the client logged in as. */
export function inboxOf({user}: SMTPServerSession): string | undefined {
	const login: SessionUser | false | undefined = user;
	return login ? login.inboxId : undefined;
}

/** A copy: a part of a string keeps all of it in memory, here a whole command. */
function cut(text: string): string {
	return Buffer.from(text.slice(0, maxText)).toString();
}
