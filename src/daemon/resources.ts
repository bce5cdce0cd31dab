import {randomUUID} from 'node:crypto';
import {hostname} from 'node:os';
import path from 'node:path';
import type {DaemonSettings} from '../config/settings.js';
import type {NodeIdentity} from '../domain/node.js';
import {createTargetPolicy} from '../domain/webhooks/target.js';
import type {Log} from '../lib/log.js';
import {isLoopback} from '../lib/loopback.js';
import {openFilesLimit} from '../lib/open-files.js';
import {version} from '../lib/version.js';
import {createParser} from '../mime/parser.js';
import {createFindHost} from '../outbound/find-host.js';
import {createMailSender} from '../outbound/mail-sender.js';
import {Names} from '../outbound/names.js';
import {createWebhookSender} from '../outbound/webhook-sender.js';
import {createFileSecrets} from '../store/file-secrets.js';
import type {SecretStore} from '../store/port.js';
import {type Certificates, openCertificates} from '../tls/certificates.js';
import {withoutOutages} from './log.js';
import {storeOpener} from './open-store.js';
import {loadSecret} from './secrets.js';
import {sharedAuthority} from './shared-authority.js';

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
		const summarize = async (mail: Buffer) => parser.summarize('store', mail);
		const store = await openStore({dir: dataDir, node, log, summarize, keeping: {keep, keepForMs}});
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
