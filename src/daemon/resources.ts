import {randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {hostname} from 'node:os';
import path from 'node:path';
import type {DaemonSettings} from '../config/settings.js';
import {createSecret} from '../domain/accounts/secrets.js';
import {unlimitedRetention} from '../domain/mail/inbox.js';
import type {NodeIdentity} from '../domain/node.js';
import {createTargetPolicy} from '../domain/webhooks/target.js';
import {isLoopback} from '../lib/io/hosts.js';
import {HostResolver} from '../lib/io/resolver.js';
import type {Log} from '../lib/log.js';
import {version} from '../lib/version.js';
import {createParser} from '../mime/parser.js';
import {createMailSender} from '../outbound/mail-sender.js';
import {createFindHost, createWebhookSender} from '../outbound/webhook-sender.js';
import {createFileSecrets} from '../store/file-secrets.js';
import {type JsonStoreOptions, openJsonStore} from '../store/json/open.js';
import type {SecretStore, Store} from '../store/port.js';
import {sharedAuthority} from '../tls/authority.js';
import {type Certificates, openCertificates} from '../tls/certificates.js';
import {outgoingConnections} from './limits.js';
import {withoutOutages} from './log.js';

/** External resources of the services: disk, threads, network, clock and log. */
export type Resources = Readonly<Awaited<ReturnType<typeof openResources>>>;

/**
 * Opens the resources. Opening the store locks the data directory. Throws if another daemon holds it or the store cannot be
 * used.
 */
export async function openResources(settings: DaemonSettings, fullLog: Log, openStore = storeOpener(settings)) {
	const log = withoutOutages(fullLog);
	const {host, dataDir, webhookAllow, keep, keepForMs} = settings;
	const parser = createParser();
	const now = () => new Date();
	const openFiles = openFilesLimit();
	const outgoing = outgoingConnections(openFiles);
	const node: NodeIdentity = {id: randomUUID(), name: hostname(), version};
	const ends = [async () => parser.stop()];
	try {
		const store = await openStore({dir: dataDir, node, log, retention: {keep, keepForMs}});
		ends.unshift(async () => store.close());
		const targets = {localAllowed: isLoopback(host), allowed: webhookAllow};
		const allows = createTargetPolicy(targets);
		const names = new HostResolver();
		return {
			node,
			store,
			parser,
			sender: createWebhookSender({allows, names, maxIdle: outgoing.idle}),
			sendMail: createMailSender({
				allows: createTargetPolicy({...targets, othersAllowed: false}),
				names,
				host: settings.domain,
				maxConnections: outgoing.mails,
			}),
			/** Allowed targets of webhooks. */
			allows,
			findHost: createFindHost(names),
			/** Secret for the user management API. */
			operatorToken: await loadSecret(createFileSecrets(dataDir, log), 'operator-token'),
			/** Secret that signs user tokens. */
			tokenSecret: await loadSecret(store.secrets, 'token-secret'),
			/** Secret from which inbox passwords are derived. */
			smtpSecret: await loadSecret(store.secrets, 'smtp-secret'),
			certificates: await certificatesFor(settings, store.secrets, now, log),
			openFiles,
			now,
			log,
		};
	} catch (error) {
		for (const end of ends) {
			await end();
		}

		throw error;
	}
}

/** Certificates for TLS; undefined if TLS is off. */
async function certificatesFor(
	{tls, httpsPort, host, hostNames, domain, dataDir, store, tlsCert, tlsClientCa}: DaemonSettings,
	secrets: SecretStore,
	now: () => Date,
	log: Log,
): Promise<Certificates | undefined> {
	if (tls === 'off' && httpsPort === null) {
		return undefined;
	}

	return openCertificates({
		folder: path.join(dataDir, 'tls'),
		kept: store === null ? undefined : sharedAuthority(secrets),
		listening: {host, hostNames, domain},
		own: tlsCert,
		clientAuthority: tlsClientCa,
		now,
		log,
	});
}

/** Opens a store with its own files in `dir`. Only copies can dump it. */
export type OpenStore = (
	options: Pick<JsonStoreOptions, 'dir' | 'log' | 'retention'> & {readonly node: NodeIdentity},
) => Promise<Omit<Store, 'dump'>>;

/** Returns the function that opens the store named in the settings. */
export function storeOpener({store, storeKeyFile}: Pick<DaemonSettings, 'store' | 'storeKeyFile'>): OpenStore {
	if (store === null) {
		return openJsonStore;
	}

	return async ({dir, node, log, retention = unlimitedRetention}) => {
		// Loaded on demand, because most daemons use the file store.
		const {openPostgresStore} = await import('../store/postgres/open.js');
		return openPostgresStore({
			url: store,
			dataDir: dir,
			keyFile: storeKeyFile ?? path.join(dir, 'store-key'),
			node,
			log,
			retention,
		});
	};
}

/** Loads a secret, or creates it. */
export async function loadSecret(secrets: SecretStore, name: string): Promise<string> {
	return (await secrets.get(name)) ?? secrets.put(name, createSecret());
}

/** Maximum number of open files and connections of this process; infinite if unknown or unlimited. */
export function openFilesLimit(): number {
	const soft = fromLinux() ?? fromReport();
	return soft === undefined || !Number.isInteger(Number(soft)) ? Number.POSITIVE_INFINITY : Number(soft);
}

function fromLinux(): string | undefined {
	try {
		return /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
	} catch {
		return undefined;
	}
}

type Report = {readonly userLimits?: {readonly open_files?: {readonly soft?: unknown}}};

/** Works on macOS; takes some milliseconds. */
function fromReport(): unknown {
	const report: Report = process.report.getReport();
	return report.userLimits?.open_files?.soft;
}
