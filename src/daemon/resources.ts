import {BlockList, isIP} from 'node:net';
import type {DaemonSettings} from '../config/settings.js';
import {createTargetPolicy} from '../domain/target.js';
import type {Log} from '../lib/log.js';
import {openFilesLimit} from '../lib/open-files.js';
import {createParser} from '../mime/parser.js';
import {createFindHost} from '../outbound/find-host.js';
import {Names} from '../outbound/names.js';
import {createWebhookSender} from '../outbound/webhook-sender.js';
import {type JsonStoreOptions, openJsonStore} from '../store/json/open.js';
import type {Store} from '../store/store.js';
import {loadSecret} from './secrets.js';

/** What the services reach outside their own memory: disk, threads, network, clock and log. */
export type Resources = Readonly<Awaited<ReturnType<typeof openResources>>>;

export type OpenStore = (options: Pick<JsonStoreOptions, 'dir' | 'log' | 'summarize'>) => Promise<Store>;

/** The real ones. Opening the store locks the data directory; it throws when another daemon has it. */
export async function openResources(
	{host, dataDir, webhookAllow}: DaemonSettings,
	log: Log,
	openStore: OpenStore = openJsonStore,
) {
	const parser = createParser();
	const store = await openStore({dir: dataDir, log, summarize: async mail => parser.summarize('store', mail)}).catch(
		async error => {
			await parser.stop();
			throw error;
		},
	);
	const allows = createTargetPolicy({localAllowed: isLoopback(host), allowed: webhookAllow});
	const names = new Names();
	return {
		store,
		parser,
		sender: createWebhookSender({allows, names}),
		/** Where webhooks may go. */
		allows,
		findHost: createFindHost(names),
		/** Opens the operations on users. */
		operatorToken: await loadSecret(dataDir, 'operator-token', log),
		/** Signs the tokens of users. */
		tokenSecret: await loadSecret(dataDir, 'token-secret', log),
		openFiles: openFilesLimit(),
		now: () => new Date(),
		log,
	};
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
	return host === 'localhost' || (isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'));
}
