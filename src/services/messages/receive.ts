import {randomFillSync} from 'node:crypto';
import {Readable} from 'node:stream';
import {v7 as uuid, v7} from 'uuid';
import {AppError} from '../../domain/errors.js';
import {bothEffects, type FaultEffect} from '../../domain/faults/fault.js';
import type {FeedItem} from '../../domain/feed.js';
import type {PendingBounce} from '../../domain/mail/bounce.js';
import type {Inbox} from '../../domain/mail/inbox.js';
import {type Envelope, type Message, type Session, type Summary, weightOf} from '../../domain/mail/message.js';
import type {Receipt} from '../../domain/mail/sending.js';
import type {Parser} from '../../mime/parser.js';
import type {StagedSource, Store} from '../../store/port.js';
import {AlreadyAnswered} from '../../store/port.js';
import type {AutomaticBounces} from '../bounces/automatic.js';
import {FaultRejection, type MailFaults} from '../faults/engine.js';
import type {Feed} from '../live/feed.js';
import type {MailResult, MailWay, Observer} from '../observer.js';
import type {Quotas} from '../quotas.js';
import type {Announcement, Announcements} from '../webhooks/announcements.js';
import type {Contents} from './contents.js';
import {assertTogether, type Reached, type Recipients} from './recipients.js';
import {
	type AskedMail,
	type AskedRequest,
	inPieces,
	joinSource,
	type RequestedMail,
	type RequestOutcome,
	type RequestTerms,
} from './requests.js';
import type {MailRetention} from './retention.js';

export type IncomingOptions = {
	readonly recipients: Recipients;
	readonly parser: Parser;
	readonly feed: Feed;
	readonly quotas: Pick<Quotas, 'mail'>;
	readonly announcements: Announcements;
	readonly bounces: AutomaticBounces;
	readonly retention: Pick<MailRetention, 'expect'>;
	readonly faults: Pick<MailFaults, 'meet'>;
	readonly observer: Pick<Observer, 'mail' | 'commit'>;
	readonly now: () => Date;
};

/** For whom a mail came, and how, with its summary where that was read already. */
type Came = Pick<Message, 'envelope' | 'session'> & {readonly summary?: Summary};

/** Takes mail in. */
export class Incoming {
	readonly #store: Pick<Store, 'messages' | 'sources' | 'inboxes' | 'receipts'>;
	readonly #options: IncomingOptions;
	readonly #contents: Pick<Contents, 'prepare'>;
	readonly #outcomes: Outcomes;
	readonly #ids = new MessageIds();

	constructor(
		store: Pick<Store, 'messages' | 'sources' | 'inboxes' | 'receipts'>,
		contents: Pick<Contents, 'prepare'>,
		options: IncomingOptions,
	) {
		this.#store = store;
		this.#options = options;
		this.#contents = contents;
		this.#outcomes = new Outcomes(options.observer);
	}

	/**
	 * Stores one mail: a message in each inbox that its recipients lead to, or in that alone as which the sender logged in,
	 * with its summary and the deliveries that announce it. It is durable once this resolved, to what a fault does to the answer.
	 * Throws `not_found` when no recipient leads anywhere (any more), and what the source and `faults` fail with.
	 */
	async deliver(
		envelope: Envelope,
		session: Session | null,
		source: Readable,
		inboxId?: string,
	): Promise<FaultEffect | null> {
		const reached = await this.#options.recipients.reached(envelope.to, inboxId);
		if (reached.length === 0) {
			throw new AppError('not_found', 'None of the recipients has an inbox. Create one with this address first.');
		}

		return (await this.#take({envelope, session}, reached, source)).effect;
	}

	/**
	 * Stores mails in this inbox alone, whoever they are for, in one commit: all of them or none. Gives their messages, in the
	 * same order. No fault meets them, and nothing comes back.
	 */
	async deposit(inbox: Inbox, mails: readonly Deposited[]): Promise<readonly Message[]> {
		const sourceId = uuid();
		const prepared = new Map<AskedMail, PreparedMail>();
		for (const {envelope, summary, source} of mails) {
			const reached = [{inbox, to: envelope.to[0] ?? inbox.address, recipients: []}];
			const mail = {source};
			prepared.set(mail, await this.#prepare({envelope, session: null, summary}, arrivedOf(sourceId, source), reached));
		}

		await this.#keepAll(sourceId, prepared);
		return [...prepared.values()].flatMap(({messages}) => messages);
	}

	/**
	 * Stores the mails of a request as `deliver` does, but in one commit, with the receipt: all of them or none. A mail whose
	 * recipients lead nowhere is left out. Throws what one of them fails with, unless each is for itself, and `AlreadyAnswered`
	 * when there is a receipt already.
	 */
	async deliverAll(
		mails: readonly RequestedMail[],
		{request, receipt, isEachAlone = false}: RequestTerms = {},
	): Promise<RequestOutcome> {
		const sourceId = uuid();
		const failures = new Map<number, unknown>();
		const prepared = new Map<RequestedMail, PreparedMail>();
		for (const [index, mail] of mails.entries()) {
			try {
				const reached = await this.#options.recipients.reached(mail.envelope.to, mail.inboxId);
				if (reached.length > 0) {
					prepared.set(mail, await this.#prepare(mail, arrivedOf(sourceId, mail.source), reached));
				}
			} catch (error) {
				if (!isEachAlone || !(error instanceof AppError || error instanceof FaultRejection)) {
					throw error;
				}

				failures.set(index, error);
			}
		}

		const messageIds = mails.map(mail => prepared.get(mail)?.messages.map(({id}) => id) ?? []);
		const kept = receipt?.({messageIds, failures});
		if (prepared.size > 0) {
			await this.#keepAll(sourceId, prepared, request, kept);
		} else if (kept) {
			await this.#store.receipts.add(kept);
		}

		const effect = [...prepared.values()].reduce(
			(sum: FaultEffect | null, mail) => bothEffects(sum, mail.effect),
			null,
		);
		return {messageIds, failures, effect};
	}

	async #take(mail: Came, reached: readonly Reached[], source: Readable): Promise<PreparedMail> {
		const staged = await this.#store.sources.stage(source);
		try {
			const {id: sourceId, size, head} = staged;
			const arrived = {sourceId, size, head, read: async () => this.#store.sources.readStaged(staged)};
			const prepared = await this.#prepare(mail, arrived, reached);
			this.#parseSoon(prepared, head);
			await this.#keep(staged, [prepared]);
			return prepared;
		} catch (error) {
			await this.#store.sources.discard(staged);
			throw error;
		}
	}

	async #keepAll(
		sourceId: string,
		prepared: ReadonlyMap<AskedMail, PreparedMail>,
		request?: AskedRequest,
		receipt?: Receipt,
	): Promise<void> {
		// Nobody reads by the request of his own mail what another one got.
		const circles = new Set([...prepared.values()].flatMap(({reached}) => reached.map(({inbox}) => circleOf(inbox))));
		const {pieces, parts} = joinSource([...prepared.keys()], request, prepared.size === 1 || circles.size === 1);
		const placed = [...prepared].map(([{source}, mail], index): PreparedMail => {
			const part = parts[index];
			const whole = {...mail, messages: mail.messages.map(message => ({...message, ...(part && {part})}))};
			this.#parseSoon(whole, source);
			return whole;
		});
		const staged = await this.#store.sources.stage(Readable.from(pieces, {objectMode: false}), sourceId);
		try {
			await this.#keep(staged, placed, receipt);
		} catch (error) {
			await this.#store.sources.discard(staged);
			throw error;
		}
	}

	/** Has a small mail read that somebody waits for. `head`: all of it, if it is small. */
	#parseSoon({messages, reached, size}: PreparedMail, head: Buffer): void {
		const [message] = messages;
		const isWaitedFor = messages.some(({inboxId}) => this.#options.feed.waiting(inboxId) > 0);
		if (message && isWaitedFor && head.length === size && size <= smallBytes) {
			this.#contents.prepare(reached[0]?.inbox.ownerId ?? '', message, head);
		}
	}

	async #keep(source: StagedSource, mails: readonly PreparedMail[], receipt?: Receipt): Promise<void> {
		const {recipients, announcements, bounces: automatic, retention} = this.#options;
		const [messages, announced, bounces, news] = [
			mails.flatMap(mail => mail.messages),
			mails.flatMap(mail => mail.announced),
			mails.flatMap(mail => mail.bounces),
			mails.flatMap(mail => mail.news),
		];
		await recipients.withinQuotas(mails, check =>
			announcements.store(announced, deliveries =>
				this.#outcomes.ofCommit(source, messages, async () =>
					this.#store.messages.add({
						source,
						messages,
						deliveries,
						bounces,
						events: news,
						check,
						...(receipt && {receipt}),
					}),
				),
			),
		);
		automatic.stored(bounces);
		for (const {inbox} of mails.flatMap(({reached}) => reached)) {
			retention.expect(inbox);
		}
	}

	async #prepare(
		{envelope, session, summary: given}: Came,
		{sourceId, size, head, read}: Arrived,
		reached: readonly Reached[],
	): Promise<PreparedMail> {
		const {parser, bounces: automatic, announcements, faults} = this.#options;
		const open = head.length < size ? async () => read() : undefined;
		const summary = given ?? (await parser.summarize(reached[0]?.inbox.ownerId ?? '', head, open));
		const now = this.#options.now();
		const receivedAt = now.toISOString();
		const messages: Message[] = [];
		const announced: Announcement[] = [];
		const news: FeedItem[] = [];
		const bounces: PendingBounce[] = [];
		for (const {inbox: then, to, recipients} of reached) {
			// The mail may have taken minutes to come, and the inbox may have left its team since.
			const inbox = (await this.#store.inboxes.get(then.id)) ?? then;
			const id = this.#ids.next();
			const message = {id, inboxId: inbox.id, sourceId, size, envelope, session, to, receivedAt, summary};
			messages.push(message);
			bounces.push(...automatic.of(message, inbox, recipients));
			news.push({type: 'message.received', messageId: id, inbox});
			for (const announcement of await announcements.of(message, inbox, now, recipients)) {
				announced.push(announcement);
				const {id: deliveryId, endpointId} = announcement.delivery;
				news.push({type: 'delivery.changed', deliveryId, endpointId});
			}

			assertTogether(messages.length, announced.length);
		}

		const effect = await faults.meet({envelope, session, summary, read, messages});
		return {reached, messages, weight: weightOf({summary, envelope, session}), size, bounces, announced, news, effect};
	}
}

/** Tells apart inboxes that not the same people see. */
function circleOf({ownerId, teamId}: Reached['inbox']): string {
	return `${ownerId} ${teamId ?? ''}`;
}

/** The rows of a mail, and what tells of them. */
type PreparedMail = {
	readonly reached: readonly Reached[];
	readonly messages: readonly Message[];
	readonly weight: number;
	readonly size: number;
	readonly bounces: readonly PendingBounce[];
	readonly announced: readonly Announcement[];
	readonly news: readonly FeedItem[];
	readonly effect: FaultEffect | null;
};

/** A mail whose bytes have come: its beginning, and all of them. */
type Arrived = {
	readonly sourceId: string;
	readonly size: number;
	readonly head: Buffer;
	read(): Readable | Promise<Readable>;
};

/** A mail that was elsewhere before. */
export type Deposited = Pick<Message, 'envelope' | 'summary'> & {readonly source: Buffer};

/** Bytes of a mail that is read at once when somebody waits for it. */
const smallBytes = 64 * 1024;

/** One that is whole in memory. */
export function arrivedOf(sourceId: string, source: Buffer): Arrived {
	const head = source.subarray(0, smallBytes);
	const read = () => Readable.from(inPieces(source), {objectMode: false});
	return {sourceId, size: source.length, head, read};
}

/** How the mail came of which this is kept. */
function wayOf(session: Session | null): MailWay {
	return session === null ? 'daemon' : (session.request?.provider ?? 'smtp');
}

/** Tells what becomes of mails. What they come to, it hands on. */
export class Outcomes {
	readonly #observer: Pick<Observer, 'mail' | 'commit'>;

	constructor(observer: Pick<Observer, 'mail' | 'commit'>) {
		this.#observer = observer;
	}

	async ofMail<T>(session: Session | null, keeping: Promise<T>): Promise<T> {
		const way = wayOf(session);
		try {
			const kept = await keeping;
			this.#observer.mail(way, 'kept');
			return kept;
		} catch (error) {
			this.#observer.mail(way, outcomeOf(error));
			throw error;
		}
	}

	async ofRequest(mails: readonly RequestedMail[], keeping: Promise<RequestOutcome>): Promise<RequestOutcome> {
		try {
			const outcome = await keeping;
			const {failures, messageIds} = outcome;
			this.#tell(mails, index => {
				const isKept = messageIds[index]?.length !== 0;
				return failures.has(index) ? outcomeOf(failures.get(index)) : isKept ? 'kept' : 'not_found';
			});
			return outcome;
		} catch (error) {
			this.#tell(mails, () => outcomeOf(error));
			throw error;
		}
	}

	async ofCommit(
		{size}: Pick<StagedSource, 'size'>,
		[first]: readonly Pick<Message, 'session'>[],
		commit: () => Promise<void>,
	): Promise<void> {
		const begun = performance.now();
		await commit();
		this.#observer.commit(wayOf(first?.session ?? null), size, (performance.now() - begun) / 1000);
	}

	#tell(mails: readonly RequestedMail[], outcomeAt: (index: number) => MailResult): void {
		for (const [index, {session}] of mails.entries()) {
			this.#observer.mail(wayOf(session), outcomeAt(index));
		}
	}
}

function outcomeOf(error: unknown): MailResult {
	if (error instanceof FaultRejection) {
		return 'faulted';
	}

	if (error instanceof AlreadyAnswered) {
		return 'answered';
	}

	return error instanceof AppError ? error.code : 'failed';
}

const bytesPerId = 16;

/** How many ids one draw of random bytes is good for: a draw for each would cost more than all the rest of an id. */
const idsPerDraw = 512;

/** Makes the ids of messages: UUIDs of version 7 (RFC 9562, section 5.7), each greater than the one before. */
export class MessageIds {
	readonly #random = new Uint8Array(bytesPerId * idsPerDraw);
	#drawn = idsPerDraw;
	#msecs = 0;
	#seq = 0;

	next(): string {
		const random = this.#draw();
		const now = Date.now();
		if (now > this.#msecs) {
			this.#msecs = now;
			// 31 bits, so that there is room to count up within the millisecond.
			this.#seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
		} else {
			this.#seq += 1;
		}

		return v7({msecs: this.#msecs, seq: this.#seq, random});
	}

	#draw(): Uint8Array {
		if (this.#drawn === idsPerDraw) {
			randomFillSync(this.#random);
			this.#drawn = 0;
		}

		const start = bytesPerId * this.#drawn++;
		return this.#random.subarray(start, start + bytesPerId);
	}
}
