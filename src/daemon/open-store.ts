import path from 'node:path';
import type {DaemonSettings} from '../config/settings.js';
import {keepsAll} from '../domain/mail/inbox.js';
import type {NodeIdentity} from '../domain/node.js';
import {type JsonStoreOptions, openJsonStore} from '../store/json/open.js';
import type {Store} from '../store/port.js';

/** Opens a store that keeps what is its own in a directory. Only copies dump. */
export type OpenStore = (
	options: Pick<JsonStoreOptions, 'dir' | 'log' | 'summarize' | 'keeping'> & {readonly node: NodeIdentity},
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
