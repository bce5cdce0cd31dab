import {X509Certificate} from 'node:crypto';
import {createSecureContext, type SecureContext} from 'node:tls';
import {CertificateError, causeOf} from '../lib/errors.js';
import {ensureDirectory, nodeFiles} from '../lib/files.js';
import type {Log} from '../lib/log.js';
import {guardFolder} from '../lib/private-files.js';
import {findAuthority} from './authority.js';
import {DaemonCertificate} from './daemon-certificate.js';
import type {Order} from './issue.js';
import {issueApart} from './issue-apart.js';
import {authorityInFolder, type KeptAuthority} from './kept-authority.js';
import {type KeyPair, readNamed} from './key-pair.js';
import {type Listening, type Machine, namesOf, plainName, thisMachine} from './names.js';
import {type OwnCertificate, OwnCertificates} from './own-certificates.js';
import {WrongCertificates} from './wrong-certificates.js';

/** What handshakes use. */
export type Certificates = {
	/** The context for a client that asks for that name; null when it asks for none. */
	contextFor(servername: string | null): Promise<SecureContext>;
	/** Whether only old TLS is spoken under the name. A context cannot see to that: Node.js goes by the one a handshake began with. */
	readonly speaksOldTls: (servername: string) => boolean;
	/** The certificate of the authority, PEM. */
	authority(): Promise<string>;
	/** Of clients that show a certificate, PEM; undefined when none is asked for. */
	readonly clientAuthority: string | undefined;
	/** Has those that are not there yet made, soon unless somebody asks for them before. */
	start(): void;
	/** Ends what is being made. */
	close(): Promise<void>;
};

export type CertificatesOptions = {
	/** Where the daemon's own are kept, for its owner alone. One process at a time may use it. */
	readonly folder: string;
	/** In that folder unless given. */
	readonly kept?: KeptAuthority | undefined;
	readonly listening: Listening;
	readonly own: readonly OwnCertificate[];
	/** A file with the authority that clients' certificates must be of. */
	readonly clientAuthority: string | null;
	readonly now: () => Date;
	readonly log: Log;
	/** This one unless given. */
	readonly machine?: () => Machine;
};

/** A daemon that has just started is asked for other things first, and that of a short run never for a certificate. */
const soonMs = 1000;

/** For TLS 1.1, whose signatures OpenSSL takes for too weak by default. */
const oldTls = {minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0'} as const;

/**
 * The certificates of a daemon. Throws `CertificateError` when one of the user's own cannot
 * be used, `UnsafePathError` when somebody else may have put one there.
 */
export async function openCertificates(options: CertificatesOptions): Promise<Certificates> {
	const {folder, listening, now, log, machine = thisMachine} = options;
	await ensureDirectory(nodeFiles, folder);
	await guardFolder(folder, sentence => log.warn({}, sentence));
	const clientAuthority = options.clientAuthority === null ? undefined : await readAuthority(options.clientAuthority);
	const kept = options.kept ?? authorityInFolder(folder, log);
	const {isShared} = kept;
	const known = await kept.read();
	const authority = findAuthority({known, isShared, listening, machine: machine(), now: now(), log});
	// With none given, Node.js would load all that the system trusts.
	const ca = clientAuthority ?? [];
	const createContext = ({certificate, key}: KeyPair, isOldTls = false) =>
		// Without an id, a client that has shown a certificate cannot resume its session.
		createSecureContext({cert: certificate, key, ca, sessionIdContext: 'tinbox', ...(isOldTls && oldTls)});
	const own = await OwnCertificates.load(options.own, {createContext, now, log});
	const closed = new AbortController();
	let soon: NodeJS.Timeout | undefined;
	const issue = async (order: Order) => issueApart(order, closed.signal);
	const names = () => namesOf(listening, machine());
	const usual = new DaemonCertificate({folder, kept, names, issue, createContext, now, log}, authority);
	const domains = [listening.domain, ...listening.hostNames, 'localhost'].map(plainName);
	const wrong = new WrongCertificates({authority: async () => usual.authority(), domains, issue, createContext, now});
	return {
		async contextFor(servername) {
			const name = plainName(servername ?? '');
			const defect = wrong.defectOf(name);
			return defect ? wrong.contextFor(name, defect) : ((await own.contextFor(name)) ?? usual.context());
		},
		speaksOldTls: servername => wrong.defectOf(plainName(servername)) === 'old-tls',
		authority: async () => (await usual.authority()).certificate,
		clientAuthority,
		start() {
			soon = setTimeout(() => usual.start(), soonMs).unref();
		},
		async close() {
			clearTimeout(soon);
			closed.abort();
			await usual.settled();
		},
	};
}

async function readAuthority(file: string): Promise<string> {
	const pem = await readNamed(file);
	try {
		new X509Certificate(pem);
		return pem;
	} catch (error) {
		throw new CertificateError(`${file} does not contain a CA certificate in PEM format: ${causeOf(error)}.`);
	}
}
