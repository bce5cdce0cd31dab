import type {SMTPServerAuthentication, SMTPServerSession} from 'smtp-server';
import type {Session} from '../domain/message.js';
import type {TlsFacts} from './tls-connection.js';

/** Characters of each text: names of hosts have 255 at most, addresses 320. */
const maxText = 320;

/** What the library keeps as the user of a session. */
export function loginOf({method, username}: SMTPServerAuthentication): NonNullable<Session['auth']> {
	return {mechanism: method, user: cut(username ?? '')};
}

/** How the mail comes whose data begins. Its user is what `loginOf` gave. */
export function sessionOf({
	tlsOptions,
	servername,
	user,
	remoteAddress,
	hostNameAppearsAs,
}: SMTPServerSession): Session {
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
		auth: user || null,
		client: {host: remoteAddress, helo: cut(hostNameAppearsAs || '') || null},
	};
}

/** A copy: a part of a string keeps all of it in memory, here a whole command. */
function cut(text: string): string {
	return Buffer.from(text.slice(0, maxText)).toString();
}
