import postgres from 'postgres';
import {type Retention, unlimitedRetention} from '../../domain/mail/inbox.js';
import type {NodeIdentity} from '../../domain/node.js';
import type {Log} from '../../lib/log.js';
import {takeDataFolder} from '../data-folder.js';
import {startSweep} from './deletion.js';
import {DeliveryLeases} from './deliveries/leases.js';
import {LogPartitions, startDeliveryMaintenance} from './deliveries/retention.js';
import {assertWholeDatabase, createDumpStore, lockForCopy} from './dump.js';
import {createEvictedMessageCleaner, EvictionScheduler} from './evictions.js';
import {Notifications} from './notifications.js';
import {
	createKeyStore,
	createRateStore,
	createTeamStore,
	createUserStore,
	createWebSessionStore,
} from './nouns/accounts.js';
import {PostgresEvents} from './nouns/events.js';
import {createFaultStore, startFaultCache} from './nouns/faults.js';
import {createInboxStore} from './nouns/inboxes.js';
import {createBounceStore, createMessageStore} from './nouns/messages.js';
import {createNodeStore} from './nouns/nodes.js';
import {openPostgresSecrets} from './nouns/secrets.js';
import {createReceiptStore, createTemplateStore} from './nouns/sending.js';
import {createSourceStore} from './nouns/sources.js';
import {bytesInDatabase, createUsage} from './nouns/usage.js';
import {createDeliveryStore, createEndpointStore} from './nouns/webhooks.js';
import {migrate} from './schema.js';
import {Database, databaseError} from './session/database.js';
import {explainMissingPrimary, Primary} from './session/primary.js';
import {readConnectionSettings} from './session/settings.js';

export type PostgresStoreOptions = {
	/** URL as for libpq; `PG*` variables supply what it omits. */
	readonly url: string;
	/** Folder of this node. Locked until `close`. */
	readonly dataDir: string;
	/** File with the key of the secrets, the same for all nodes. Created with the first secret. */
	readonly keyFile: string;
	readonly node: NodeIdentity;
	readonly log: Log;
	/** Limits of inboxes that have none; unlimited if omitted. */
	readonly retention?: Retention;
	/** Opens the store for `store copy`: its data may be incomplete, and no node may use it. */
	readonly isForCopy?: boolean;
};

/** Opens the store in a database, which several nodes may share. Throws `StoreError` if it cannot be used. */
export async function openPostgresStore(options: PostgresStoreOptions) {
	const unlock = await takeDataFolder(options.dataDir, options);
	const store = await openLocked(options).catch(async error => {
		await unlock();
		throw error;
	});
	return {
		...store,
		close: async () => {
			await store.close();
			await unlock();
		},
	};
}

async function openLocked({
	url,
	keyFile,
	node,
	log,
	retention = unlimitedRetention,
	isForCopy = false,
}: PostgresStoreOptions) {
	const nodeId = node.id;
	const settings = readConnectionSettings(url, process.env);
	const primary = await Primary.find(settings, log);
	const database = new Database(primary);
	const notifications = new Notifications(options => primary.session(options), nodeId);
	const copySession = isForCopy ? primary.session() : undefined;
	const close = async () => {
		await copySession?.end();
		await notifications.close();
		await database.close();
	};
	try {
		const storeId = await migrate(database);
		await (copySession ? lockForCopy(copySession.sql) : assertWholeDatabase(database));
		const secrets = await openPostgresSecrets(database, {keyFile, log});
		const events = new PostgresEvents(database, {notifications, storeId, nodeId});
		const faultCache = await startFaultCache(database, notifications);
		await notifications.start();
		await events.start();
		const usage = createUsage(database);
		const sources = createSourceStore(database);
		const leases = new DeliveryLeases(database, nodeId);
		const cleaner = createEvictedMessageCleaner(database, log);
		const evictions = new EvictionScheduler({database, defaults: retention, cleaner});
		const partitions = new LogPartitions(database);
		await partitions.prepare();
		const stopSweep = startSweep(database, log);
		const stopMaintenance = startDeliveryMaintenance(database, {partitions, log});
		return {
			secrets,
			users: createUserStore(database, () => leases.scanAgain()),
			events,
			dump: createDumpStore(database, sources),
			sources,
			messages: createMessageStore(database, sources, {
				nodeId,
				usage,
				events,
				leases,
				retention,
				cleaner,
				evictions,
				log,
			}),
			bounces: createBounceStore(database, nodeId),
			receipts: createReceiptStore(database),
			templates: createTemplateStore(database),
			keys: createKeyStore(database),
			webSessions: createWebSessionStore(database),
			rates: createRateStore(database),
			teams: createTeamStore(database),
			inboxes: createInboxStore(database),
			endpoints: createEndpointStore(database, () => leases.scanAgain()),
			nodes: createNodeStore(database, notifications),
			usage,
			size: async () => bytesInDatabase(database),
			faults: createFaultStore(database, faultCache),
			deliveries: createDeliveryStore(database, {nodeId, leases, partitions}),
			isAvailable: () => primary.isAvailable,
			close: async () => {
				faultCache.stop();
				events.stop();
				cleaner.stop();
				await stopSweep();
				await stopMaintenance();
				await leases
					.releaseAll()
					.catch(error =>
						log.warn({err: error}, 'Could not release webhook deliveries; waiting for their leases to expire'),
					);
				await close();
			},
		};
	} catch (error) {
		const [server] = settings.servers;
		const isServerError = error instanceof postgres.PostgresError;
		const reported = isServerError
			? explainMissingPrimary([{server: primary.server ?? server, error}], settings)
			: databaseError(error);
		await close();
		throw reported;
	}
}
