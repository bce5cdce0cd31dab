import {createHash, randomFillSync} from 'node:crypto';
import type {Readable} from 'node:stream';
import {v7} from 'uuid';
import {AppError} from '../../domain/errors.js';
import {combineEffects, type FaultEffect} from '../../domain/faults/fault.js';
import type {FeedItem} from '../../domain/feed.js';
import {type PendingBounce, pendingBounces} from '../../domain/mail/bounce.js';
import {type Envelope, type Message, type Session, type Summary, weightOf} from '../../domain/mail/message.js';
import type {Receipt} from '../../domain/mail/sending.js';
import type {Timer} from '../../lib/time/timer.js';
import type {Parser} from '../../mime/parser.js';
import {AlreadyAnswered, type StagedSource, type Store} from '../../store/port.js';
import {type FaultEngine, FaultRejection} from '../faults/engine.js';
import type {Feed} from '../live/feed.js';
import type {MailOrigin, MailResult, Observer} from '../observer.js';
import {type Quotas, releaseAll} from '../quotas.js';
import {type DeliveryPlanner, eventOf, type PlannedDelivery} from '../webhooks/delivery-planner.js';
import type {Contents} from './contents.js';
import {assertDeliveriesFit, type RecipientInbox, type Recipients} from './recipients.js';
import type {MailRetention} from './retention.js';
import {
	type HeldSource,
	type IncomingSource,
	type MailBytes,
	readHeader,
	receiveSource,
	type SendRequest,
	smallBytes,
	type TemplateData,
} from './source.js';

/** Mail that arrives by SMTP, through a sending API, from an import, or from the daemon itself. */
export type IncomingMail = {
	readonly envelope: Envelope;
	/** Null if no client sent it: no fault applies then. */
	readonly session: Session | null;
	/** A stream only if `receive` gets no other mail. */
	readonly source: Readable | Buffer | HeldSource;
	/** Recipients that were accepted before. The envelope is resolved if they are absent. */
	readonly recipients?: readonly RecipientInbox[] | undefined;
	/** Inbox of the login. */
	readonly inboxId?: string | undefined;
	/** Header fields, if they were parsed before. */
	readonly summary?: Summary | undefined;
	/** Template data that is stored with the mail. */
	readonly data?: TemplateData | undefined;
};

/** Everything that the commit of a mail stores, and what follows from it. */
type PlannedMail = {
	readonly mail: IncomingMail;
	readonly bytes: MailBytes;
	readonly recipients: readonly RecipientInbox[];
	readonly messages: readonly Message[];
	readonly bounces: readonly PendingBounce[];
	readonly deliveries: readonly PlannedDelivery[];
	readonly events: readonly FeedItem[];
	/** Effect of a fault on the answer. */
	readonly effect: FaultEffect | null;
};

type ReceiveOptions = {
	/** Request of a sending API that brought the mails. Stored after the mails in the same source. */
	readonly request?: SendRequest | undefined;
	/** Creates the receipt of the request, which is stored in the same commit. */
	readonly receipt?: ((outcome: Pick<ReceivedMails, 'messageIds' | 'failures'>) => Receipt | undefined) | undefined;
	/** Waits until the sender may continue. Called between mails. */
	readonly turn?: (() => Promise<void>) | undefined;
	/** If true, a rejected mail does not stop the others from being stored. */
	readonly allowsPartialSuccess?: boolean | undefined;
};

export type ReceivedMails = {
	readonly messages: readonly Message[];
	/** For each mail the ids of its messages: none if no recipient has an inbox, or if it was rejected. */
	readonly messageIds: readonly (readonly string[])[];
	/** Reasons of rejected mails by their index; only with `allowsPartialSuccess`. */
	readonly failures: ReadonlyMap<number, unknown>;
	/** Effect of faults on the answer. */
	readonly effect: FaultEffect | null;
};

type MailReceiverOptions = {
	readonly recipients: Pick<Recipients, 'recheck'>;
	readonly parser: Pick<Parser, 'summarize'>;
	readonly contents: Pick<Contents, 'prepare'>;
	readonly feed: Pick<Feed, 'waiting'>;
	readonly quotas: Pick<Quotas, 'mail'>;
	readonly deliveryPlanner: Pick<DeliveryPlanner, 'planMessage' | 'reserve' | 'trimLogs'>;
	/** Wakes the bounce dispatcher. */
	readonly bounceTimer: Pick<Timer, 'wake'>;
	/** True if recipients such as `name+bounce@domain` can request a bounce. */
	readonly allowsFaultAddresses: boolean;
	readonly retention: Pick<MailRetention, 'schedule'>;
	readonly faults: Pick<FaultEngine, 'mayAct' | 'evaluate'>;
	readonly observer: Pick<Observer, 'mail' | 'commit'>;
	readonly now: () => Date;
};

/** Everything that `#commit` stores, with the reserved quotas. */
type PreparedCommit = {
	readonly planned: readonly PlannedMail[];
	/** Undefined if no mail was accepted. */
	readonly staged: StagedSource | undefined;
	readonly receipt: Receipt | undefined;
	readonly reserved: Awaited<ReturnType<DeliveryPlanner['reserve']>>;
	readonly release: () => void;
};

type ReceiverStore = Pick<Store, 'messages' | 'sources' | 'receipts'>;

/** Receives mail: the use case behind SMTP, the sending APIs, imports and bounces. */
export class MailReceiver {
	readonly #store: ReceiverStore;
	readonly #options: MailReceiverOptions;
	readonly #ids = new MessageIds();

	constructor(store: ReceiverStore, options: MailReceiverOptions) {
		this.#store = store;
		this.#options = options;
	}

	/**
	 * Receives one mail, and returns the effect of a fault on the answer. Throws `not_found` if no recipient has an inbox, and the
	 * errors of `receive`.
	 */
	async receiveOne(mail: IncomingMail): Promise<FaultEffect | null> {
		const {messages, effect} = await this.receive([mail]);
		if (messages.length === 0) {
			throw new AppError('not_found', 'None of the recipients has an inbox. Create one with this address first.');
		}

		return effect;
	}

	/**
	 * Stores mails durably, in one commit: a message in each inbox of their recipients, with webhook deliveries, bounces, events
	 * and the receipt. All mails are stored or none, except those without an inbox and, with `allowsPartialSuccess`, rejected ones. Throws
	 * `FaultRejection`, `limit_reached`, `AlreadyAnswered` for a known receipt, and the errors of the source and the store.
	 */
	async receive(mails: readonly IncomingMail[], options: ReceiveOptions = {}): Promise<ReceivedMails> {
		return this.#observed(mails, async () => {
			const source = await receiveSource(this.#store.sources, mails);
			const prepared = await this.#prepare(mails, source, options).catch(async error => {
				await source.discard();
				throw error;
			});
			const {planned, reserved, messageIds, failures} = prepared;
			await this.#commit(prepared);
			await this.#options.deliveryPlanner.trimLogs(reserved);
			this.#wakeFollowers(planned);
			const effect = planned.reduce((sum: FaultEffect | null, one) => combineEffects(sum, one.effect), null);
			return {messages: planned.flatMap(({messages}) => messages), messageIds, failures, effect};
		});
	}

	/** Plans the mails, stages their bytes, and reserves the quotas, which `release` ends. */
	async #prepare(mails: readonly IncomingMail[], source: IncomingSource<IncomingMail>, options: ReceiveOptions) {
		const {accepted, failures} = await this.#planEach(mails, source, options);
		const messageIds = mails.map(mail => accepted.get(mail)?.messages.map(({id}) => id) ?? []);
		const receipt = options.receipt?.({messageIds, failures});
		const {planned, staged} = await this.#assignSource([...accepted.values()], source, options.request);
		this.#parseForWaiters(planned);
		return {planned, staged, receipt, messageIds, failures, ...(await this.#reserveQuotas(planned))};
	}

	/** Plans each mail that has recipients. With `allowsPartialSuccess`, expected errors become failures. */
	async #planEach(
		mails: readonly IncomingMail[],
		source: IncomingSource<IncomingMail>,
		{allowsPartialSuccess = false, turn}: ReceiveOptions,
	) {
		const accepted = new Map<IncomingMail, PlannedMail>();
		const failures = new Map<number, unknown>();
		for (const [index, mail] of mails.entries()) {
			if (index > 0) {
				await turn?.();
			}

			try {
				const planned = await this.#plan(mail, source);
				if (planned.messages.length > 0) {
					accepted.set(mail, planned);
				}
			} catch (error) {
				if (!allowsPartialSuccess || !(error instanceof AppError || error instanceof FaultRejection)) {
					throw error;
				}

				failures.set(index, error);
			}
		}

		return {accepted, failures};
	}

	/** Decides everything that is stored with a mail. Throws if it is rejected. */
	async #plan(mail: IncomingMail, source: IncomingSource<IncomingMail>): Promise<PlannedMail> {
		const {recipients: resolver, parser, now} = this.#options;
		const bytes = source.bytesOf(mail);
		const recipients = await resolver.recheck(mail);
		const [first] = recipients;
		if (!first) {
			return {mail, bytes, recipients, messages: [], bounces: [], deliveries: [], events: [], effect: null};
		}

		const summary = mail.summary ?? (await readHeader(parser, first.inbox.ownerId, bytes));
		const receivedAt = now();
		const messages = recipients.map(({inbox, to}): Message => {
			const {envelope, session} = mail;
			const fields = {envelope, session, to, receivedAt: receivedAt.toISOString(), summary};
			return {id: this.#ids.next(), inboxId: inbox.id, sourceId: source.id, size: bytes.size, ...fields};
		});
		const bounces = this.#planBounces(messages, recipients);
		const {deliveries, events} = await this.#planDeliveries(messages, recipients, receivedAt);
		const effect = await this.#evaluateFaults(mail, messages, bytes);
		return {mail, bytes, recipients, messages, bounces, deliveries, events, effect};
	}

	#planBounces(messages: readonly Message[], inboxes: readonly RecipientInbox[]): readonly PendingBounce[] {
		const {allowsFaultAddresses} = this.#options;
		return inboxes.flatMap(({inbox, recipients}, index) => {
			const message = messages[index];
			return message ? pendingBounces(message, inbox, recipients, allowsFaultAddresses) : [];
		});
	}

	async #planDeliveries(messages: readonly Message[], inboxes: readonly RecipientInbox[], now: Date) {
		const deliveries: PlannedDelivery[] = [];
		const events: FeedItem[] = [];
		for (const [index, message] of messages.entries()) {
			const recipient = inboxes[index];
			if (recipient) {
				const {inbox, recipients} = recipient;
				events.push({type: 'message.received', messageId: message.id, inbox});
				for (const delivery of await this.#options.deliveryPlanner.planMessage(message, inbox, now, recipients)) {
					deliveries.push(delivery);
					events.push(eventOf(delivery));
				}

				assertDeliveriesFit(index + 1, deliveries.length);
			}
		}

		return {deliveries, events};
	}

	/** Applies the faults of stage `end`. Throws `FaultRejection` if one rejects the mail. */
	async #evaluateFaults(
		{envelope, session}: IncomingMail,
		messages: readonly Message[],
		bytes: MailBytes,
	): Promise<FaultEffect | null> {
		const {faults} = this.#options;
		const [first] = messages;
		if (!session || !first || !faults.mayAct('end', envelope.to)) {
			return null;
		}

		const {subject, messageId} = first.summary;
		const effect = await faults.evaluate({
			stage: 'end',
			client: session.client,
			user: session.auth?.user ?? null,
			inboxIds: messages.map(({inboxId}) => inboxId),
			from: envelope.from,
			to: envelope.to,
			subject,
			messageKey: async () => messageId || hashOf(await bytes.read()),
			messageIds: messages.map(({id}) => id),
		});
		if (effect && (effect.reply || effect.drop === 'before')) {
			throw new FaultRejection(effect);
		}

		return effect;
	}

	/** Stages the bytes of the accepted mails, and puts their position in a shared source into their messages. */
	async #assignSource(
		mails: readonly PlannedMail[],
		source: IncomingSource<IncomingMail>,
		request: SendRequest | undefined,
	): Promise<{readonly planned: readonly PlannedMail[]; readonly staged: StagedSource | undefined}> {
		if (mails.length === 0) {
			await source.discard();
			return {planned: mails, staged: undefined};
		}

		// A request names all its recipients: only users who can see the inboxes of all its mails may read its body.
		const audiences = new Set(
			mails.flatMap(({recipients}) => recipients.map(({inbox}) => `${inbox.ownerId} ${inbox.teamId ?? ''}`)),
		);
		const hasBody = mails.length === 1 || audiences.size === 1;
		const {staged, parts} = await source.stage(
			mails.map(({mail}) => mail),
			request,
			hasBody,
		);
		const planned = mails.map((mail, index): PlannedMail => {
			const part = parts?.[index];
			return part ? {...mail, messages: mail.messages.map(message => ({...message, part}))} : mail;
		});
		return {planned, staged};
	}

	/** Starts to parse small mails that a long poll waits for. */
	#parseForWaiters(mails: readonly PlannedMail[]): void {
		const {feed, contents} = this.#options;
		for (const {messages, recipients, bytes} of mails) {
			const [message] = messages;
			const isSmall = bytes.head.length === bytes.size && bytes.size <= smallBytes;
			if (message && isSmall && messages.some(({inboxId}) => feed.waiting(inboxId) > 0)) {
				contents.prepare(recipients[0]?.inbox.ownerId ?? '', message, bytes.head);
			}
		}
	}

	/** Stores everything in one commit, within the quotas. Stores only the receipt if no mail was accepted. */
	async #commit({planned, staged, receipt, reserved, release}: PreparedCommit): Promise<void> {
		const {quotas, observer} = this.#options;
		try {
			if (!staged) {
				await (receipt && this.#store.receipts.add(receipt));
				return;
			}

			const begun = performance.now();
			await this.#store.messages.add({
				source: staged,
				messages: planned.flatMap(({messages}) => messages),
				deliveries: reserved.deliveries,
				bounces: planned.flatMap(({bounces}) => bounces),
				events: planned.flatMap(({events}) => events),
				check: quotas.mail.check,
				...(receipt && {receipt}),
			});
			observer.commit(originOf(planned[0]?.mail.session ?? null), staged.size, (performance.now() - begun) / 1000);
		} finally {
			release();
		}
	}

	/** Reserves room for messages and deliveries. Throws `limit_reached` if there is none for the messages. */
	async #reserveQuotas(mails: readonly PlannedMail[]) {
		const {quotas, deliveryPlanner} = this.#options;
		const releases: Array<() => void> = [];
		const release = releaseAll(releases);
		try {
			for (const [ownerId, {weight, size}] of usageByOwner(mails)) {
				releases.push(await quotas.mail.reserve(ownerId, weight, size));
			}

			const reserved = await deliveryPlanner.reserve(mails.flatMap(mail => mail.deliveries));
			releases.push(reserved.release);
			return {reserved, release};
		} catch (error) {
			release();
			throw error;
		}
	}

	/** Wakes the bounce dispatcher and the retention. The store has published the events. */
	#wakeFollowers(mails: readonly PlannedMail[]): void {
		const {bounceTimer, retention} = this.#options;
		if (mails.some(mail => mail.bounces.length > 0)) {
			bounceTimer.wake();
		}

		for (const {inbox} of mails.flatMap(({recipients}) => recipients)) {
			retention.schedule(inbox);
		}
	}

	/** Reports the outcome of each mail to the metrics. */
	async #observed(mails: readonly IncomingMail[], receive: () => Promise<ReceivedMails>): Promise<ReceivedMails> {
		const report = (resultAt: (index: number) => MailResult) => {
			for (const [index, {session}] of mails.entries()) {
				this.#options.observer.mail(originOf(session), resultAt(index));
			}
		};
		try {
			const received = await receive();
			const {failures, messageIds} = received;
			report(index => {
				const isStored = messageIds[index]?.length !== 0;
				return failures.has(index) ? resultOf(failures.get(index)) : isStored ? 'kept' : 'not_found';
			});
			return received;
		} catch (error) {
			report(() => resultOf(error));
			throw error;
		}
	}
}

/** Usage that the mails add, by owner. */
function usageByOwner(
	mails: readonly PlannedMail[],
): ReadonlyMap<string, {readonly weight: number; readonly size: number}> {
	const sums = new Map<string, {readonly weight: number; readonly size: number}>();
	for (const {recipients, messages, bytes} of mails) {
		const [first] = messages;
		const weight = first ? weightOf(first) : 0;
		for (const {inbox} of recipients) {
			const sum = sums.get(inbox.ownerId) ?? {weight: 0, size: 0};
			sums.set(inbox.ownerId, {weight: sum.weight + weight, size: sum.size + bytes.size});
		}
	}

	return sums;
}

async function hashOf(source: AsyncIterable<Buffer>): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of source) {
		hash.update(chunk);
	}

	return hash.digest('base64url');
}

function originOf(session: Session | null): MailOrigin {
	return session === null ? 'daemon' : (session.request?.provider ?? 'smtp');
}

function resultOf(error: unknown): MailResult {
	if (error instanceof FaultRejection) {
		return 'faulted';
	}

	if (error instanceof AlreadyAnswered) {
		return 'answered';
	}

	return error instanceof AppError ? error.code : 'failed';
}

const bytesPerId = 16;

/** Ids per call of the random generator, which costs more than everything else about an id. */
const idsPerDraw = 512;

/** Generates message ids: UUIDs of version 7 (RFC 9562, section 5.7), each greater than the one before. */
export class MessageIds {
	readonly #random = new Uint8Array(bytesPerId * idsPerDraw);
	#used = idsPerDraw;
	#msecs = 0;
	#seq = 0;

	next(): string {
		const random = this.#draw();
		const now = Date.now();
		if (now > this.#msecs) {
			this.#msecs = now;
			// 31 bits, so that the sequence can count up within the millisecond.
			this.#seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
		} else {
			this.#seq += 1;
		}

		return v7({msecs: this.#msecs, seq: this.#seq, random});
	}

	#draw(): Uint8Array {
		if (this.#used === idsPerDraw) {
			randomFillSync(this.#random);
			this.#used = 0;
		}

		const start = bytesPerId * this.#used++;
		return this.#random.subarray(start, start + bytesPerId);
	}
}
