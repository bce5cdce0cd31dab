import type {IncomingMessage} from 'node:http';
import {TLSSocket} from 'node:tls';
import type {Session} from '../../domain/mail/message.js';
import {shortCopy} from '../../lib/text/sanitize.js';

/** Characters of each text, as those of SMTP. */
const maxText = 320;

/** How the mails of a request come, whoever asks. */
export function howRequestCame({socket, headers}: IncomingMessage): Pick<Session, 'tls' | 'client'> {
	return {
		tls: socket instanceof TLSSocket ? tlsOf(socket) : null,
		client: {host: hostOf(socket), helo: shortCopy(headers['user-agent'] ?? '', maxText) || null},
	};
}

/** The address of a client; one of IPv4 as such. */
function hostOf({remoteAddress = ''}: IncomingMessage['socket']): string {
	return remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
}

function tlsOf(socket: TLSSocket): Session['tls'] {
	const {servername} = socket as {readonly servername?: string | false};
	return {
		version: socket.getProtocol() ?? '',
		cipher: socket.getCipher().standardName,
		servername: servername ? shortCopy(servername, maxText) : null,
	};
}
