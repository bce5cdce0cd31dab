import type {Message, Summary} from '../domain/message.js';
import type {Log} from '../lib/log.js';
import type {Parser} from '../mime/parser.js';
import type {Store} from '../store/store.js';
import type {Announcer} from './announcer.js';
import type {Feed} from './feed.js';

/** The messages of one mail, which share a source, and its beginning unless that is to be read from the store. */
type Mail = {readonly messages: readonly Message[]; readonly head?: Buffer};

/** How much of a source is read for its header section. */
const headBytes = 64 * 1024;

/** How long mails are gathered that nobody waits for yet: one call and one commit for many cost much less. */
const gatherMs = 25;

/** How many mails one call to the parser is given. */
const callSize = 100;

/** How many bytes of mail are held until their turn; what comes on top is read from the store again. */
const maxHeldBytes = 8 * 1024 * 1024;

/** Until the next try, after what was found could not be stored, as on a full disk. */
const retryMs = 1000;

export type DescriberOptions = {
	readonly parser: Parser;
	readonly feed: Feed;
	readonly announcer: Announcer;
	readonly log: Log;
};

/**
 * Reads the headers of new messages, and then wakes who waits for them. Mails that nobody waits for, and whatever
 * comes in while the parser is busy, are gathered, so that under load one call and one commit serve many.
 */
export class Describer {
	readonly #store: Pick<Store, 'messages' | 'sources'>;
	readonly #options: DescriberOptions;
	readonly #retries = new Set<NodeJS.Timeout>();
	#gathered = new Batch();
	#current = new Batch();
	#running: Promise<void> | undefined;
	#heldBytes = 0;

	constructor(store: Pick<Store, 'messages' | 'sources'>, options: DescriberOptions) {
		this.#store = store;
		this.#options = options;
	}

	/** Describes what a crash left undescribed. */
	async start(): Promise<void> {
		for (const message of await this.#store.messages.undescribed()) {
			this.add({messages: [message]});
		}

		await this.#running;
	}

	/** Finishes what was added. */
	async stop(): Promise<void> {
		for (const timer of this.#retries) {
			clearTimeout(timer);
		}

		await this.#running;
	}

	/** Takes on a mail that was stored. */
	add({messages, head}: Mail): void {
		const isHeld = head !== undefined && this.#heldBytes + head.length <= maxHeldBytes;
		this.#heldBytes += isHeld ? head.length : 0;
		this.#gathered.add(isHeld ? {messages, head} : {messages});
		this.#running ??= this.#run();
		const isAwaited = messages.some(({inboxId}) => this.#options.feed.waiting(inboxId) > 0);
		if (isAwaited || this.#gathered.mails.length === callSize) {
			this.#gathered.hurry();
		}
	}

	/** Resolves when each message that the inbox has by now was described, or was given up for the moment. */
	async settled(inboxId: string): Promise<void> {
		const batch = [this.#gathered, this.#current].find(({inboxIds}) => inboxIds.has(inboxId));
		batch?.hurry();
		await batch?.finished;
	}

	async #run(): Promise<void> {
		while (this.#gathered.mails.length > 0) {
			await this.#gathered.hurriedWithin(gatherMs);
			this.#current = this.#gathered;
			this.#gathered = new Batch();
			const {mails} = this.#current;
			for (let first = 0; first < mails.length; first += callSize) {
				await this.#describe(mails.slice(first, first + callSize));
			}

			this.#current.finish();
		}

		this.#current = new Batch();
		this.#running = undefined;
	}

	/**
	 * Never rejects. When something cannot be stored, waiters are woken all the same, as a message without a summary is
	 * shown by its envelope, and everything is done once more later.
	 */
	async #describe(mails: readonly Mail[]): Promise<void> {
		const {feed, announcer, log} = this.#options;
		try {
			const messages = await this.#summarize(mails);
			await this.#store.messages.describe(new Map(messages.map(({id, summary}) => [id, summary])));
			feed.notify(inboxIdsOf(mails));
			await announcer.described(messages);
		} catch (error) {
			log.error({err: error, mails: mails.length}, 'new messages could not be described; trying again');
			feed.notify(inboxIdsOf(mails));
			this.#retry(mails);
		}
	}

	async #summarize(mails: readonly Mail[]): Promise<ReadonlyArray<Message & {readonly summary: Summary}>> {
		const heads = await Promise.all(mails.map(mail => this.#takeHead(mail)));
		const summaries = await this.#options.parser.summarize(heads);
		return mails.flatMap(({messages}, index) => {
			const summary = summaries[index];
			return summary ? messages.map(message => ({...message, summary})) : [];
		});
	}

	#takeHead({messages: [message], head}: Mail): Buffer | Promise<Buffer> {
		this.#heldBytes -= head?.length ?? 0;
		return head ?? (message ? readHead(this.#store.sources, message.sourceId) : Buffer.alloc(0));
	}

	#retry(mails: readonly Mail[]): void {
		const timer = setTimeout(() => {
			this.#retries.delete(timer);
			for (const {messages} of mails) {
				this.add({messages});
			}
		}, retryMs).unref();
		this.#retries.add(timer);
	}
}

/** Mails whose headers are read together. */
class Batch {
	readonly mails: Mail[] = [];
	readonly inboxIds = new Set<string>();
	readonly finished: Promise<void>;
	finish: () => void = () => {};
	/** Somebody waits for one of them. */
	hurry: () => void = () => {};
	readonly #hurried: Promise<void>;

	constructor() {
		this.finished = new Promise(resolve => {
			this.finish = resolve;
		});
		this.#hurried = new Promise(resolve => {
			this.hurry = resolve;
		});
	}

	/** Resolves when somebody waits, at the latest after `ms`. */
	async hurriedWithin(ms: number): Promise<void> {
		const timer = setTimeout(this.hurry, ms);
		await this.#hurried;
		clearTimeout(timer);
	}

	add(mail: Mail): void {
		this.mails.push(mail);
		for (const {inboxId} of mail.messages) {
			this.inboxIds.add(inboxId);
		}
	}
}

function inboxIdsOf(mails: readonly Mail[]): ReadonlySet<string> {
	return new Set(mails.flatMap(({messages}) => messages.map(({inboxId}) => inboxId)));
}

/** The beginning of a source; nothing when it was deleted in the meantime. */
async function readHead(sources: Store['sources'], sourceId: string): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of (await sources.read(sourceId)) ?? []) {
		chunks.push(chunk);
		size += chunk.length;
		if (size >= headBytes) {
			break;
		}
	}

	return Buffer.concat(chunks);
}
