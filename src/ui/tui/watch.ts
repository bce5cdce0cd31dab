import type {Client} from '../../client/index.js';
import type {Browsed} from '../../lib/io/browse.js';
import type {StateStore} from './state/update.js';

/** Calls of the client that the terminal UI makes. */
export type WatchApi = {
	readonly inboxes: Pick<Client['inboxes'], 'create' | 'list' | 'delete'>;
	readonly messages: Pick<Client['messages'], 'list' | 'get' | 'delete' | 'raw' | 'attachment' | 'preview'>;
	readonly faults: Pick<Client['faults'], 'list' | 'hits' | 'delete'>;
	readonly webhooks: Pick<Client['webhooks'], 'list' | 'deliveries' | 'test' | 'redeliver'>;
	readonly events: Client['events'];
};

/** Effects outside of the screens: on the terminal, other programs and files. */
export type Outside = {
	/** Copies a text to the clipboard. Resolves with the program or protocol that was used. */
	copy(text: string): Promise<string>;
	/** Opens a URL in the browser; with `own`, only a URL of that daemon. */
	browse(url: string, own?: string): Promise<Browsed>;
	/** Shows a text in the pager, which uses the terminal meanwhile. */
	page(text: string): void;
	/** Writes a new file into the working directory. Resolves with its path. */
	save(filename: string, bytes: Buffer): Promise<string>;
	/** Suspends the program until the shell resumes it. */
	suspend(): void;
	/** Draws the whole screen again. */
	repaint(): void;
	quit(): void;
};

/** Context of commands. */
export type Watch = {readonly store: StateStore; readonly api: WatchApi; readonly outside: Outside};

/** Action of a key. A failure is shown as a notice. */
export type Command = (watch: Watch) => void | Promise<void>;
