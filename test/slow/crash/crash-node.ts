/**
 * A node on PostgreSQL that can have defects: `crash-node.js <data folder> --store <url> --store-key-file <file>
 * [--early-reply] [--ownerless-leases]`, with the flags of `webhook-kills.js`.
 */
import {parseArgs} from 'node:util';
import {daemonSettings, defaultSettings} from '../../../src/config/settings.js';
import {assemble} from '../../../src/daemon/assemble.js';
import {createLog} from '../../../src/daemon/log.js';
import {type OpenStore, openResources, storeOpener} from '../../../src/daemon/resources.js';
import {startAll} from '../../../src/lib/lifecycle.js';
import {askDatabase} from '../../helpers/postgres-cluster.js';

const {values, positionals} = parseArgs({
	allowPositionals: true,
	options: {
		store: {type: 'string', default: ''},
		'store-key-file': {type: 'string', default: ''},
		'webhook-retry-delay': {type: 'string', default: ''},
		'webhook-keep': {type: 'string', default: ''},
		/** Replies 250 before the commit. */
		'early-reply': {type: 'boolean', default: false},
		/** Deletes all leases at the start, including leases of other nodes. */
		'ownerless-leases': {type: 'boolean', default: false},
	},
});
const {dataDir, webhookRetryDelayMs, webhookKeep} = daemonSettings;
const settings = {
	...defaultSettings(dataDir.kind.parse(positionals[0] ?? '') ?? ''),
	store: values.store,
	storeKeyFile: values['store-key-file'],
	smtpPort: 0,
	httpPort: 0,
	webhookRetryDelayMs: webhookRetryDelayMs.kind.parse(values['webhook-retry-delay']) ?? webhookRetryDelayMs.initial,
	webhookKeep: webhookKeep.kind.parse(values['webhook-keep']) ?? webhookKeep.initial,
};

const openStore: OpenStore = async options => {
	const store = await storeOpener(settings)(options);
	if (values['ownerless-leases']) {
		await askDatabase(values.store, 'delete from tinbox.leases');
	}

	const add: typeof store.messages.add = async mail => {
		store.messages.add(mail).catch(() => {});
	};
	return values['early-reply'] ? {...store, messages: {...store.messages, add}} : store;
};

const {parts, addresses} = assemble(settings, await openResources(settings, createLog(process.stderr), openStore));
await startAll(parts);
console.log(JSON.stringify({...addresses(), pid: process.pid, data_dir: settings.dataDir}));
