import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import type {HostPort} from '../../lib/hosts.js';
import {type ConnectionSettings, nameOfServer} from './connection-settings.js';

/** Asks whether the server speaks TLS ("SSLRequest" of the protocol). */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Connects to a server, over TLS where the settings ask for it. Rejects as the system, TLS or the settings say. */
export async function openSocket(server: HostPort, settings: ConnectionSettings): Promise<net.Socket> {
	const deadline = AbortSignal.timeout(settings.connectTimeoutMs);
	const isUnix = server.host.startsWith('/');
	const socket = isUnix ? net.connect(nameOfServer(server)) : net.connect({...server, noDelay: true});
	try {
		await once(socket, 'connect', {signal: deadline});
		return isUnix || settings.tls.mode === 'disable' ? socket : await secured(socket, server, settings, deadline);
	} catch (error) {
		socket.destroy();
		throw deadline.aborted ? late(server) : error;
	}
}

async function secured(
	socket: net.Socket,
	{host}: HostPort,
	{tls: {mode, authorities, own}}: ConnectionSettings,
	signal: AbortSignal,
): Promise<net.Socket> {
	const lost = () => socket.destroy(Object.assign(new Error('the connection was lost'), {code: 'ECONNRESET'}));
	socket.once('end', lost).write(sslRequest);
	const [answer]: Buffer[] = await once(socket, 'data', {signal});
	socket.off('end', lost);
	if (answer?.toString('latin1') !== 'S') {
		if (answer?.toString('latin1') === 'N' && mode === 'prefer') {
			return socket;
		}

		throw Object.assign(new Error('the server does not support TLS, which sslmode requires'), {code: 'NO_TLS'});
	}

	const secure = tls.connect({
		socket,
		// The name to be verified, which can be an address; SNI takes none.
		host,
		...(net.isIP(host) === 0 && {servername: host}),
		rejectUnauthorized: mode.startsWith('verify'),
		...(mode !== 'verify-full' && {checkServerIdentity: () => undefined}),
		...(authorities !== null && {ca: readFileSync(authorities)}),
		...(own && {cert: readFileSync(own.certificate), key: readFileSync(own.key)}),
	});
	await once(secure, 'secureConnect', {signal});
	return secure;
}

function late(server: HostPort): Error {
	return Object.assign(new Error(`${nameOfServer(server)} does not respond`), {code: 'ETIMEDOUT'});
}
