import type {Log} from '../lib/log.js';
import {type KeyPair, type KeyPairFiles, keepKeyPair, keyPairFiles, readKeptKeyPair} from './key-pair.js';

/** Where the certificate of an authority and its key are kept. */
export type KeptAuthority = {
	/** Undefined when there is none. */
	read(): Promise<KeyPair | undefined>;
	/** Keeps it in the place of what was read last, and resolves to it; to that of another daemon which was faster. */
	keep(pair: KeyPair): Promise<KeyPair>;
	/** Whether other daemons use it, too, and may replace it. */
	readonly isShared: boolean;
};

/** In the folder of a daemon that has an authority of its own. */
export function authorityInFolder(folder: string, log: Log): KeptAuthority {
	const files: KeyPairFiles = keyPairFiles(folder, 'ca.pem', 'ca-key.pem');
	return {
		read: async () => readKeptKeyPair(files, log),
		async keep(pair) {
			await keepKeyPair(files, pair, log);
			return pair;
		},
		isShared: false,
	};
}
