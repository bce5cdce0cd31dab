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

/** With the authority, once it is there. */
export type TestCertificates = Certificates & {readonly ca: string};

/** Certificates of a daemon on loopback, on a machine without a network, in a new folder unless told otherwise. */
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

/** The same for several tests, until they are closed. */
export async function openTestCertificates(): Promise<{certificates: TestCertificates; close(): Promise<void>}> {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-tls-'));
	const close = async () => rm(folder, {recursive: true, force: true});
	return {certificates: await testCertificates({folder}), close};
}

/** A log that keeps what it is told, sentence by sentence. */
export function heard() {
	const sentences: string[] = [];
	const note = (_: object, sentence: string) => void sentences.push(sentence);
	return {sentences, log: {info: silent.info, warn: note, error: note}};
}

/** The certificate that is shown for the name. */
export async function shownFor(certificates: Certificates, servername: string | null): Promise<X509Certificate> {
	return shownBy(await certificates.contextFor(servername));
}

export function shownBy({context}: SecureContext): X509Certificate {
	return new X509Certificate(context.getCertificate());
}

/** A client whose handshake is over, or why it did not take the server. */
export async function handshake(
	contextFor: Certificates['contextFor'],
	options: ConnectionOptions,
): Promise<{readonly socket: TLSSocket; readonly verdict: string}> {
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
		socket.once('error', error => resolve({socket, verdict: reasonIn(error)}));
		socket.once('secureConnect', () => resolve({socket, verdict: ''}));
	});
}

/** Why a client does not take the server that it connects to with these options; "" when it does. */
export async function verdictOn(contextFor: Certificates['contextFor'], options: ConnectionOptions): Promise<string> {
	return (await handshake(contextFor, options)).verdict;
}

/** Its code, or what OpenSSL says where Node.js has no code for that. */
function reasonIn(error: Error): string {
	return 'code' in error && error.code !== 'UNSPECIFIED' ? String(error.code) : error.message;
}
