import type {Client} from '../../client/index.js';
import type {Browsed} from '../../lib/io/browse.js';
import type {StateStore} from './state/update.js';

/** The calls of the client that watch makes. */
export type WatchApi = {
	readonly inboxes: Pick<Client['inboxes'], 'create' | 'list' | 'delete'>;
	readonly messages: Pick<Client['messages'], 'list' | 'get' | 'delete' | 'raw' | 'attachment' | 'preview'>;
	readonly faults: Pick<Client['faults'], 'list' | 'hits' | 'delete'>;
	readonly webhooks: Pick<Client['webhooks'], 'list' | 'deliveries' | 'test' | 'redeliver'>;
	readonly events: Client['events'];
};

/** What lies outside of the screens: the terminal as a whole, other programs, files. */
export type Outside = {
	/** Puts a text into the clipboard. Resolves with the means. */
	copy(text: string): Promise<string>;
	/** Shows a page in the browser; one of the daemon at `own`, unless a person chose another. */
	browse(url: string, own?: string): Promise<Browsed>;
	/** Shows a text in the pager, which gets the terminal meanwhile. */
	page(text: string): void;
	/** Writes a new file into the working directory. Resolves with its path. */
	save(filename: string, bytes: Buffer): Promise<string>;
	/** Stops the program until the shell continues it. */
	suspend(): void;
	/** Draws everything again. */
	repaint(): void;
	quit(): void;
};

/** What a command of a key works with. */
export type Watch = {readonly store: StateStore; readonly api: WatchApi; readonly outside: Outside};

/** What a key does. A failure is shown and changes nothing else. */
export type Command = (watch: Watch) => void | Promise<void>;
