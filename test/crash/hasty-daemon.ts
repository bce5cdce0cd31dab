/** A daemon that is wrong on purpose: it says 250 before the mail is on disk. The crash test must catch it. */
import {daemonSettings, defaultSettings} from '../../src/config/settings.js';
import {assemble, type OpenStore} from '../../src/daemon/assemble.js';
import {createLog} from '../../src/daemon/log.js';
import {startAll} from '../../src/lib/lifecycle.js';
import {openJsonStore} from '../../src/store/json/open.js';

const openHastyStore: OpenStore = async options => {
	const store = await openJsonStore(options);
	const add: typeof store.messages.add = async mail => {
		store.messages.add(mail).catch(() => {});
	};
	return {...store, messages: {...store.messages, add}};
};

const dataDir = daemonSettings.dataDir.kind.parse(process.argv[2] ?? '') ?? '';
const settings = {...defaultSettings(dataDir), smtpPort: 0, httpPort: 0};
const {parts, addresses} = await assemble(settings, createLog(process.stderr), openHastyStore);
await startAll(parts);
console.log(JSON.stringify({...addresses(), pid: process.pid, data_dir: dataDir}));
