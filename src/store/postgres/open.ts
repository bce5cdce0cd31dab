import postgres from 'postgres';
import {type Keeping, keepsAll} from '../../domain/mail/inbox.js';
import type {NodeIdentity} from '../../domain/node.js';
import type {Log} from '../../lib/log.js';
import {takeDataFolder} from '../data-folder.js';
import {startSweep} from './deletion.js';
import {DeliveryLeases} from './deliveries/leases.js';
import {LogPartitions, startDeliveryDuties} from './deliveries/retention.js';
import {assertWholeDatabase, postgresDump, takeForCopy} from './dump.js';
import {EvictedMessageCleaner, EvictionScheduler} from './evictions.js';
import {Notifications} from './notifications.js';
import {postgresBounces} from './nouns/bounces.js';
import {postgresDeliveries} from './nouns/deliveries.js';
import {postgresEndpoints} from './nouns/endpoints.js';
import {PostgresEvents} from './nouns/events.js';
import {FaultCopy, postgresFaults} from './nouns/faults.js';
import {postgresInboxes} from './nouns/inboxes.js';
import {postgresKeys, postgresRates} from './nouns/keys.js';
import {postgresMessages} from './nouns/messages.js';
import {postgresNodes} from './nouns/nodes.js';
import {postgresReceipts} from './nouns/receipts.js';
import {openPostgresSecrets} from './nouns/secrets.js';
import {postgresSources} from './nouns/sources.js';
import {postgresTeams} from './nouns/teams.js';
import {postgresTemplates} from './nouns/templates.js';
import {bytesInDatabase, postgresUsage} from './nouns/usage.js';
import {postgresUsers} from './nouns/users.js';
import {postgresWebSessions} from './nouns/web-sessions.js';
import {migrate} from './schema.js';
import {Database, databaseError} from './session/database.js';
import {explainMissingPrimary, Primary} from './session/primary.js';
import {readConnectionSettings} from './session/settings.js';

export type PostgresStoreOptions = {
	/** As libpq reads it; what it does not say, the variables `PG*` do. */
	readonly url: string;
	/** What a node keeps of its own; it belongs to this one alone until `close`. */
	readonly dataDir: string;
	/** Opens the secrets, and is the same for all nodes; made with the first of them. */
	readonly keyFile: string;
	readonly node: NodeIdentity;
	readonly log: Log;
	/** What inboxes keep that say nothing themselves; all unless given. */
	readonly keeping?: Keeping;
	/** Whether it is opened to be copied, or to become a copy: then it need not be whole, and no node may use it. */
	readonly isForCopy?: boolean;
};

/** Opens the store in a database, which it may share with other nodes. Throws `StoreError` when it cannot be used. */
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

async function openLocked({url, keyFile, node, log, keeping = keepsAll, isForCopy = false}: PostgresStoreOptions) {
	const settings = readConnectionSettings(url, process.env);
	const primary = await Primary.find(settings, log);
	const database = new Database(primary);
	const notices = new Notifications(options => primary.session(options), node.id);
	const copying = isForCopy ? primary.session() : undefined;
	const close = async () => {
		await copying?.end();
		await notices.close();
		await database.close();
	};
	try {
		const storeId = await migrate(database);
		await (copying ? takeForCopy(copying.sql) : assertWholeDatabase(database));
		const secrets = await openPostgresSecrets(database, {keyFile, log});
		const events = new PostgresEvents(database, {notices, storeId, nodeId: node.id});
		const faultCopy = new FaultCopy(database, notices);
		await faultCopy.start();
		await notices.start();
		await events.start();
		const usage = postgresUsage(database);
		const sources = postgresSources(database);
		const leases = new DeliveryLeases(database, node.id);
		const leavings = new EvictedMessageCleaner(database, log);
		const looks = new EvictionScheduler({database, byDefault: keeping, leavings});
		const days = new LogPartitions(database);
		await days.prepare();
		const endSweep = startSweep(database, log);
		const endDeliveryDuties = startDeliveryDuties(database, {days, log});
		return {
			secrets,
			users: postgresUsers(database, () => leases.lookAgain()),
			events,
			dump: postgresDump(database, sources),
			sources,
			messages: postgresMessages(database, sources, {
				nodeId: node.id,
				usage,
				events,
				leases,
				keeping,
				leavings,
				looks,
				log,
			}),
			bounces: postgresBounces(database, node.id),
			receipts: postgresReceipts(database),
			templates: postgresTemplates(database),
			keys: postgresKeys(database),
			webSessions: postgresWebSessions(database),
			rates: postgresRates(database),
			teams: postgresTeams(database),
			inboxes: postgresInboxes(database),
			endpoints: postgresEndpoints(database, () => leases.lookAgain()),
			nodes: postgresNodes(database, notices),
			usage,
			size: async () => bytesInDatabase(database),
			faults: postgresFaults(database, faultCopy),
			deliveries: postgresDeliveries(database, {nodeId: node.id, leases, days}),
			isAvailable: () => primary.isAvailable,
			close: async () => {
				faultCopy.stop();
				events.stop();
				leavings.stop();
				await endSweep();
				await endDeliveryDuties();
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
		const isOfServer = error instanceof postgres.PostgresError;
		const told = isOfServer
			? explainMissingPrimary([{server: primary.server ?? server, error}], settings)
			: databaseError(error);
		await close();
		throw told;
	}
}
