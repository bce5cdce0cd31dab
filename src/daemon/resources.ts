import {randomUUID} from 'node:crypto';
import {hostname} from 'node:os';
import path from 'node:path';
import type {DaemonSettings} from '../config/settings.js';
import {createSecret} from '../domain/accounts/secrets.js';
import {keepsAll} from '../domain/mail/inbox.js';
import type {NodeIdentity} from '../domain/node.js';
import {createTargetPolicy} from '../domain/webhooks/target.js';
import {isLoopback} from '../lib/io/hosts.js';
import {Names} from '../lib/io/resolver.js';
import type {Log} from '../lib/log.js';
import {openFilesLimit} from '../lib/open-files.js';
import {version} from '../lib/version.js';
import {createParser} from '../mime/parser.js';
import {createMailSender} from '../outbound/mail-sender.js';
import {createFindHost, createWebhookSender} from '../outbound/webhook-sender.js';
import {createFileSecrets} from '../store/file-secrets.js';
import {type JsonStoreOptions, openJsonStore} from '../store/json/open.js';
import type {SecretStore, Store} from '../store/port.js';
import {sharedAuthority} from '../tls/authority.js';
import {type Certificates, openCertificates} from '../tls/certificates.js';
import {withoutOutages} from './log.js';

/** What the services reach outside their own memory: disk, threads, network, clock and log. */
export type Resources = Readonly<Awaited<ReturnType<typeof openResources>>>;

/** The real ones. Opening the store locks the data directory; it throws when another daemon has it, or the store cannot be used. */
export async function openResources(settings: DaemonSettings, fullLog: Log, openStore = storeOpener(settings)) {
	const log = withoutOutages(fullLog);
	const {host, dataDir, webhookAllow, keep, keepForMs} = settings;
	const parser = createParser();
	const now = () => new Date();
	const node: NodeIdentity = {id: randomUUID(), name: hostname(), version};
	const ends = [async () => parser.stop()];
	try {
		const store = await openStore({dir: dataDir, node, log, keeping: {keep, keepForMs}});
		ends.unshift(async () => store.close());
		const targets = {localAllowed: isLoopback(host), allowed: webhookAllow};
		const allows = createTargetPolicy(targets);
		const names = new Names();
		return {
			node,
			store,
			parser,
			sender: createWebhookSender({allows, names}),
			sendMail: createMailSender({
				allows: createTargetPolicy({...targets, othersAllowed: false}),
				names,
				host: settings.domain,
			}),
			/** Where webhooks may go. */
			allows,
			findHost: createFindHost(names),
			/** Opens the operations on users. */
			operatorToken: await loadSecret(createFileSecrets(dataDir, log), 'operator-token'),
			/** Signs the tokens of users. */
			tokenSecret: await loadSecret(store.secrets, 'token-secret'),
			/** The passwords of inboxes are derived from it. */
			smtpSecret: await loadSecret(store.secrets, 'smtp-secret'),
			certificates: await certificatesFor(settings, store.secrets, now, log),
			openFiles: openFilesLimit(),
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

/** What handshakes use; undefined while TLS is spoken nowhere. */
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

/** Opens a store that keeps what is its own in a directory. Only copies dump. */
export type OpenStore = (
	options: Pick<JsonStoreOptions, 'dir' | 'log' | 'keeping'> & {readonly node: NodeIdentity},
) => Promise<Omit<Store, 'dump'>>;

/** How the store is opened that the settings name. */
export function storeOpener({store, storeKeyFile}: Pick<DaemonSettings, 'store' | 'storeKeyFile'>): OpenStore {
	if (store === null) {
		return openJsonStore;
	}

	return async ({dir, node, log, keeping = keepsAll}) => {
		// Loaded only where it is needed: most daemons keep their mail in files.
		const {openPostgresStore} = await import('../store/postgres/open.js');
		return openPostgresStore({
			url: store,
			dataDir: dir,
			keyFile: storeKeyFile ?? path.join(dir, 'store-key'),
			node,
			log,
			keeping,
		});
	};
}

/** The secret of that name, made when there is none. */
export async function loadSecret(secrets: SecretStore, name: string): Promise<string> {
	return (await secrets.get(name)) ?? secrets.put(name, createSecret());
}
