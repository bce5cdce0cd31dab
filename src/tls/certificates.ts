import {X509Certificate} from 'node:crypto';
import {stat} from 'node:fs/promises';
import {createSecureContext, type SecureContext} from 'node:tls';
import {CertificateError, causeOf} from '../lib/errors.js';
import {ensureDirectory, guardFolder, nodeFiles} from '../lib/io/files.js';
import type {Log} from '../lib/log.js';
import {
	type AuthorityStore,
	authorityInFolder,
	DaemonCertificate,
	findAuthority,
	type Issue,
	issueInWorker,
} from './authority.js';
import type {IssueRequest} from './issue.js';
import {type KeyPair, type KeyPairFiles, parseKeyPair, readNamed} from './key-pair.js';
import {type Listening, type Machine, namesOf, plainName, thisMachine} from './names.js';

/** User certificate for a name, or for all names one label below it (`*.example.com`). */
type OwnCertificate = KeyPairFiles & {readonly name: string};

type OwnCertificatesOptions = {
	createContext(pair: KeyPair): SecureContext;
	readonly now: () => Date;
	readonly log: Log;
};

/** Minimum interval between checks for changed files. File watching misses some ways to replace a file. */
const lookEveryMs = 1000;

/** Loads the certificates of the user. The result finds the context for a name. Throws `CertificateError` for the first unusable one. */
async function loadUserCertificates(
	certificates: readonly OwnCertificate[],
	options: OwnCertificatesOptions,
): Promise<(name: string) => Promise<SecureContext | undefined>> {
	const byName = new Map<string, () => Promise<SecureContext>>();
	for (const certificate of certificates) {
		byName.set(plainName(certificate.name), await loadContext(certificate, options));
	}

	return async name => (byName.get(name) ?? byName.get(name.replace(/^[^.]+/, '*')))?.();
}

/** Loads a certificate. The result returns its context, and reloads it if the files changed. */
async function loadContext(
	files: KeyPairFiles,
	options: OwnCertificatesOptions,
): Promise<() => Promise<SecureContext>> {
	const {now, log} = options;
	let version = await versionOf(files);
	let context = await readContext(files, options);
	let lookedAt = now().getTime();
	const reload = async () => {
		const found = await versionOf(files);
		if (found === version) {
			return;
		}

		version = found;
		try {
			context = await readContext(files, options);
			log.info({}, `Certificate ${files.certificate} reloaded`);
		} catch (error) {
			log.warn({}, `${causeOf(error)} Keeping the previous certificate`);
		}
	};
	return async () => {
		const at = now().getTime();
		if (Math.abs(at - lookedAt) >= lookEveryMs) {
			lookedAt = at;
			await reload();
		}

		return context;
	};
}

async function readContext(
	files: KeyPairFiles,
	{createContext, now, log}: OwnCertificatesOptions,
): Promise<SecureContext> {
	const pair = {certificate: await readNamed(files.certificate), key: await readNamed(files.key)};
	const parsed = parseKeyPair(pair);
	if (parsed === undefined) {
		throw new CertificateError(problemOf(files, pair));
	}

	if (Date.parse(parsed.validTo) < now().getTime()) {
		log.warn({}, `Certificate ${files.certificate} has expired`);
	}

	try {
		return createContext(pair);
	} catch (error) {
		throw new CertificateError(`The certificate ${files.certificate} cannot be used: ${causeOf(error)}.`);
	}
}

/** Reason why the files are no usable pair. */
function problemOf({certificate, key}: KeyPairFiles, pair: KeyPair): string {
	try {
		new X509Certificate(pair.certificate);
	} catch {
		return `${certificate} does not contain a certificate in PEM format.`;
	}

	return `${key} is not the private key of ${certificate}. The key must be in PEM format, without a passphrase.`;
}

/** Text that changes with either file. */
async function versionOf({certificate, key}: KeyPairFiles): Promise<string> {
	const stats = await Promise.all(
		[certificate, key].map(async file => stat(file, {bigint: true}).catch(() => undefined)),
	);
	return stats.map(file => `${file?.ino} ${file?.size} ${file?.mtimeNs}`).join();
}

/** Defects of test certificates. `old-tls` has a valid certificate and limits the connection to TLS 1.1. */
const defects = ['expired', 'wrong-host', 'self-signed', 'untrusted', 'old-tls'] as const;

type Defect = (typeof defects)[number];

/** Name in the certificate for `wrong-host`: within the constraints of the authority, and requested by nobody. */
const otherHost = 'another-host.test';

const day = 86_400_000;

type DefectiveCertificatesOptions = {
	authority(): Promise<KeyPair>;
	readonly issue: Issue;
	/** Domains below which each defect has a name. */
	readonly domains: readonly string[];
	createContext(pair: KeyPair, isOldTls: boolean): SecureContext;
	readonly now: () => Date;
};

/** Intentionally invalid certificates for names such as `expired.tinbox.test`. */
function defectiveCertificates({authority, issue, domains, createContext, now}: DefectiveCertificatesOptions) {
	/** Contexts by name. The number of names is fixed. */
	const made = new Map<string, Promise<SecureContext>>();
	const issueDefective = async (name: string, defect: Defect): Promise<KeyPair> => {
		const at = now().getTime();
		const days = (from: number, to: number) => ({
			notBefore: new Date(at + from * day),
			notAfter: new Date(at + to * day),
		});
		const valid = days(-1, 397);
		const {certificate, key} = await authority();
		const right: IssueRequest = {names: [name], validity: valid, authority: {certificate, key}};
		const orders: Readonly<Record<Defect, IssueRequest>> = {
			expired: {...right, validity: days(-90, -1)},
			'wrong-host': {...right, names: [otherHost]},
			'self-signed': {...right, authority: null},
			untrusted: {...right, authority: {commonName: 'untrusted test CA', validity: valid}},
			'old-tls': right,
		};
		return (await issue(orders[defect])).leaf;
	};
	return {
		/** Returns undefined for names without a defect. */
		defectOf(name: string): Defect | undefined {
			const [label = ''] = name.split('.', 1);
			return domains.includes(name.slice(label.length + 1)) ? defects.find(defect => defect === label) : undefined;
		},
		/** Creates the certificate at the first request. */
		async contextFor(name: string, defect: Defect): Promise<SecureContext> {
			const context =
				made.get(name) ?? issueDefective(name, defect).then(pair => createContext(pair, defect === 'old-tls'));
			made.set(name, context);
			return context.catch(error => {
				made.delete(name);
				throw error;
			});
		},
	};
}

/** Certificates of a daemon, as TLS handshakes use them. */
export type Certificates = {
	/** TLS context for the requested server name; null if the client sent none. */
	contextFor(servername: string | null): Promise<SecureContext>;
	/**
	 * True if the name accepts only old TLS. A context cannot enforce that, because Node.js uses the settings of the context
	 * with which a handshake began.
	 */
	readonly speaksOldTls: (servername: string) => boolean;
	/** Certificate of the authority, PEM. */
	authority(): Promise<string>;
	/** CA for client certificates, PEM; undefined if none is requested. */
	readonly clientAuthority: string | undefined;
	/** Creates missing certificates soon, or at the first request. */
	start(): void;
	/** Stops the creation of certificates. */
	close(): Promise<void>;
};

export type CertificatesOptions = {
	/** Private folder of the daemon's certificates. Only one process at a time may use it. */
	readonly folder: string;
	/** Storage of the authority; that folder by default. */
	readonly kept?: AuthorityStore | undefined;
	readonly listening: Listening;
	readonly own: readonly OwnCertificate[];
	/** File with the CA for client certificates. */
	readonly clientAuthority: string | null;
	readonly now: () => Date;
	readonly log: Log;
	/** This machine by default. */
	readonly machine?: () => Machine;
};

/**
 * Delay before certificates are created: a new daemon has other requests first, and a short-lived one may never need a
 * certificate.
 */
const soonMs = 1000;

/** Options for TLS 1.1, whose signatures OpenSSL rejects as too weak by default. */
const oldTls = {minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0'} as const;

/**
 * Opens the certificates of a daemon. Throws `CertificateError` for an unusable user certificate, and `UnsafePathError` if
 * another user may have created a file.
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
	// Without a value, Node.js would load the CAs of the system.
	const ca = clientAuthority ?? [];
	const createContext = ({certificate, key}: KeyPair, isOldTls = false) =>
		// Without an id, a client with a certificate cannot resume its session.
		createSecureContext({cert: certificate, key, ca, sessionIdContext: 'tinbox', ...(isOldTls && oldTls)});
	const userContext = await loadUserCertificates(options.own, {createContext, now, log});
	const closed = new AbortController();
	let soon: NodeJS.Timeout | undefined;
	const issue = async (order: IssueRequest) => issueInWorker(order, closed.signal);
	const names = () => namesOf(listening, machine());
	const usual = new DaemonCertificate({folder, kept, names, issue, createContext, now, log}, authority);
	const domains = [listening.domain, ...listening.hostNames, 'localhost'].map(plainName);
	const wrong = defectiveCertificates({authority: async () => usual.authority(), domains, issue, createContext, now});
	return {
		async contextFor(servername) {
			const name = plainName(servername ?? '');
			const defect = wrong.defectOf(name);
			return defect ? wrong.contextFor(name, defect) : ((await userContext(name)) ?? usual.context());
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
