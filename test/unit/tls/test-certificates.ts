import {X509Certificate} from 'node:crypto';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {type AddressInfo, createServer} from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {type ConnectionOptions, connect, type SecureContext, TLSSocket} from 'node:tls';
import {onTestFinished} from 'vitest';
import {type Certificates, type CertificatesOptions, openCertificates} from '../../../src/tls/certificates.js';
import {silent} from '../../helpers/resources.js';
import {tempDir} from '../../helpers/temp-dir.js';

/** Certificates with the PEM text of their authority. */
export type TestCertificates = Certificates & {readonly ca: string};

/** Opens certificates of a daemon on loopback, without a network and by default in a new folder. */
export async function testCertificates(own: Partial<CertificatesOptions> = {}): Promise<TestCertificates> {
	const certificates = await openCertificates({
		folder: own.folder ?? path.join(await tempDir(), 'tls'),
		listening: {host: '127.0.0.1', hostNames: [], domain: 'tinbox.test'},
		own: [],
		clientAuthority: null,
		now: () => new Date(),
		log: silent,
		machine: () => ({name: 'box', addresses: []}),
		...own,
	});
	return {...certificates, ca: await certificates.authority()};
}

/** Opens certificates for several tests, until `close` is called. */
export async function openTestCertificates(): Promise<{certificates: TestCertificates; close(): Promise<void>}> {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-tls-'));
	const close = async () => rm(folder, {recursive: true, force: true});
	return {certificates: await testCertificates({folder}), close};
}

/** Log that records its messages. */
export function recordingLog() {
	const messages: string[] = [];
	const note = (_: object, message: string) => void messages.push(message);
	return {messages, log: {info: silent.info, warn: note, error: note}};
}

/** Certificate served for a server name. */
export async function certificateFor(certificates: Certificates, servername: string | null): Promise<X509Certificate> {
	return certificateOf(await certificates.contextFor(servername));
}

export function certificateOf({context}: SecureContext): X509Certificate {
	return new X509Certificate(context.getCertificate());
}

/** Connects a TLS client; `error` is empty if the handshake succeeded. */
export async function handshake(
	contextFor: Certificates['contextFor'],
	options: ConnectionOptions,
): Promise<{readonly socket: TLSSocket; readonly error: string}> {
	const secureContext = await contextFor(options.servername ?? null);
	const server = createServer(raw => {
		new TLSSocket(raw, {isServer: true, secureContext}).on('error', () => {});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const {port} = server.address() as AddressInfo;
	const socket = connect({host: '127.0.0.1', port, ...options});
	onTestFinished(() => {
		socket.destroy();
		server.close();
	});
	return new Promise(resolve => {
		socket.once('error', error => resolve({socket, error: errorCode(error)}));
		socket.once('secureConnect', () => resolve({socket, error: ''}));
	});
}

/** Error code of a handshake with these options, or "" if it succeeded. */
export async function handshakeError(
	contextFor: Certificates['contextFor'],
	options: ConnectionOptions,
): Promise<string> {
	return (await handshake(contextFor, options)).error;
}

/** Error code, or the message of OpenSSL if Node.js has no code. */
function errorCode(error: Error): string {
	return 'code' in error && error.code !== 'UNSPECIFIED' ? String(error.code) : error.message;
}
