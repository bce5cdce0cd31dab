/**
 * A node on PostgreSQL that errs when it is told: `crash-node.js <data folder> --store <url> --store-key-file <file> [--hasty]
 * [--nameless]`, with the flags of `webhook-kills.js` that every node there has.
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
		/** Says 250 before the commit. */
		hasty: {type: 'boolean', default: false},
		/** Does not know whose a lease is, and takes all that it finds at its start for left-overs of its own. */
		nameless: {type: 'boolean', default: false},
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
	if (values.nameless) {
		await askDatabase(values.store, 'delete from tinbox.leases');
	}

	const add: typeof store.messages.add = async mail => {
		store.messages.add(mail).catch(() => {});
	};
	return values.hasty ? {...store, messages: {...store.messages, add}} : store;
};

const {parts, addresses} = assemble(settings, await openResources(settings, createLog(process.stderr), openStore));
await startAll(parts);
console.log(JSON.stringify({...addresses(), pid: process.pid, data_dir: settings.dataDir}));
