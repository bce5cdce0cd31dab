import {createHash} from 'node:crypto';
import {v7 as createId} from 'uuid';
import type {FaultStage} from '../../contract/constants.js';
import {describeFaultHit} from '../../contract/descriptions.js';
import type {FaultMatch} from '../../contract/faults.js';
import {AppError} from '../../domain/errors.js';
import {type MagicFault, magicOf} from '../../domain/faults/address-fault.js';
import {
	countOccasion,
	effectOf,
	type Fault,
	type FaultEffect,
	type FaultHit,
	replyLine,
} from '../../domain/faults/fault.js';
import {type MatchTexts, plainTest, plainTestOfAny, regexesIn} from '../../domain/faults/match.js';
import {canonicalAddress} from '../../domain/mail/address.js';
import type {Inbox} from '../../domain/mail/inbox.js';
import type {Message} from '../../domain/mail/message.js';
import {LineLimit, type Log, type LogIds} from '../../lib/log.js';
import {shortCopy} from '../../lib/text/sanitize.js';
import type {Parser} from '../../mime/parser.js';
import type {Store} from '../../store/port.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Feed} from '../live/feed.js';
import type {Observer} from '../observer.js';
import type {Announcements} from '../webhooks/announcements.js';

/** Characters of each text of a hit, of all its recipients together, and of the key of a count. */
const maxText = 320;
const maxRecipients = 2000;
const maxKey = 100;

/** What a client does, or is about to be answered to, in a session. */
export type FaultContext = {
	readonly stage: FaultStage;
	readonly client: {readonly host: string; readonly helo: string | null};
	readonly ids?: LogIds;
	/** As which it logged in, or at `auth` wants to. */
	readonly user: string | null;
	/** The inboxes whose faults are asked before the daemon's, in this order. */
	readonly inboxIds: readonly string[];
	/** Null before MAIL. */
	readonly from: string | null;
	/** At `rcpt` the one that is asked for, else those that were taken. */
	readonly to: readonly string[];
	/** At `end`. */
	readonly subject?: string;
	/** At `end`: what tells the mail from others, the Message-ID or what stands for it. */
	readonly messageKey?: () => Promise<string>;
	/** At `end`: what the messages will be called in these inboxes. */
	readonly messageIds?: readonly string[];
};

/** Rules of an inbox, or (null) of the daemon, that may match. */
type Asked = {readonly inboxId: string | null; readonly rules: readonly Rule[]};

type FaultEngineOptions = {
	readonly parser: Pick<Parser, 'fitMatches'>;
	readonly feed: Feed;
	readonly announcements: Pick<Announcements, 'ofHit' | 'store'>;
	readonly observer: Pick<Observer, 'faultHit'>;
	readonly now: () => Date;
	readonly log: Log;
};

/** Asks the faults whether something is to go wrong, and keeps what came of it. */
export class FaultEngine {
	readonly #store: Pick<Store, 'faults' | 'inboxes' | 'deliveries'>;
	readonly #options: FaultEngineOptions;
	readonly #rulesOf = createRules();
	readonly #lines: LineLimit;

	constructor(store: Pick<Store, 'faults' | 'inboxes' | 'deliveries'>, options: FaultEngineOptions) {
		this.#store = store;
		this.#options = options;
		this.#lines = new LineLimit(options.log);
	}

	/** Whether any fault may act there: where not, nothing else need be found out. */
	mayAct(stage: FaultStage): boolean {
		return this.#store.faults.mayAct(stage);
	}

	/** Counts the occasion, and says what the first fault does that acts; null when none does, at once where none matches. */
	evaluate(occasion: FaultContext): Promise<FaultEffect | null> | null {
		const now = this.#options.now().getTime();
		let texts: MatchTexts | undefined;
		const asked: Asked[] = [];
		for (const inboxId of [...occasion.inboxIds, null]) {
			const ready = this.#rulesOf(this.#store.faults.of(inboxId), occasion.stage);
			if (ready) {
				texts ??= inLowerCase(textsOf(occasion));
				const rules = ready.fitting(texts, now);
				if (rules.length > 0) {
					asked.push({inboxId, rules});
				}
			}
		}

		return asked.length === 0 ? null : this.#ask(asked, occasion, now);
	}

	async #ask(asked: readonly Asked[], occasion: FaultContext, now: number): Promise<FaultEffect | null> {
		for (const {inboxId, rules} of asked) {
			for (const {fault} of await this.#matching(rules, inboxId, occasion)) {
				if (await this.#acts(fault, occasion, now)) {
					const effect = effectOf(fault);
					this.acted(occasion, inboxId, effect, fault.name);
					return effect;
				}
			}
		}

		return null;
	}

	/** Keeps, tells and logs what something did that acted for an inbox, or for the daemon (null). Nobody waits for that. */
	acted(occasion: FaultContext, inboxId: string | null, effect: FaultEffect, name: string | null): void {
		const now = this.#options.now();
		const hit = hitOf(occasion, inboxId, effect, name, now);
		const what = describeFaultHit({...hit, delay_ms: hit.delayMs});
		const {faultId: fault, messageId: message, client} = hit;
		const fields = {...occasion.ids, fault, inbox: inboxId, ...(message !== null && {message}), client};
		this.#lines.info(fields, `Fault at ${what}`, now.getTime());
		this.#options.observer.faultHit(hit);
		this.#keep(hit).catch(error => {
			// Of a full disk the log tells once, and a daemon that stops keeps no more.
			if (!(error instanceof AppError)) {
				this.#options.log.error({err: error}, 'Could not record a fault hit');
			}
		});
	}

	async #keep(hit: FaultHit): Promise<void> {
		const {id: hitId, faultId, inboxId} = hit;
		const isKept = await this.#store.faults.addHit(hit);
		const inbox = inboxId === null ? null : await this.#store.inboxes.get(inboxId);
		if (isKept && inbox !== undefined) {
			await this.#options.feed.publish([{type: 'fault.hit', hitId, faultId, inbox}]);
			await this.#announce(hit, inbox);
		}
	}

	/** In a commit after that of the hit, which a crash may take back just so: nobody is told of what is not kept. */
	async #announce(hit: FaultHit, inbox: Inbox | null): Promise<void> {
		const {announcements, feed, now} = this.#options;
		const announced = await announcements.ofHit(hit, inbox, now());
		if (announced.length > 0) {
			await announcements.store(announced, deliveries => this.#store.deliveries.put(deliveries));
			await feed.publish(
				announced.map(({delivery: {id: deliveryId, endpointId}}) => ({
					type: 'delivery.changed',
					deliveryId,
					endpointId,
				})),
			);
		}
	}

	/** Those whose regular expressions match as well, in their order. They are compared for all of them at once. */
	async #matching(rules: readonly Rule[], inboxId: string | null, occasion: FaultContext): Promise<readonly Rule[]> {
		const asked = rules.filter(({regexes}) => regexes !== null);
		if (asked.length === 0) {
			return rules;
		}

		const owner = inboxId === null ? '' : (await this.#store.inboxes.get(inboxId))?.ownerId;
		const matches = asked.map(({regexes}) => regexes ?? {});
		const fit = await this.#options.parser.fitMatches(owner ?? '', matches, textsOf(occasion));
		return rules.filter(rule => rule.regexes === null || fit[asked.indexOf(rule)]);
	}

	async #acts(fault: Fault, occasion: FaultContext, now: number): Promise<boolean> {
		const acts = await this.#store.faults.count(fault.id, await keyOf(fault, occasion), before => {
			const {count, acts} = countOccasion(fault, before, now);
			return {count, result: acts};
		});
		return acts ?? false;
	}
}

/** Under which key the fault counts it. */
async function keyOf({per}: Fault, {to, messageKey}: FaultContext): Promise<string | null> {
	if (per === null) {
		return null;
	}

	const key = per === 'recipient' ? canonicalAddress(to[0] ?? '') : ((await messageKey?.()) ?? '');
	return key.length > maxKey ? createHash('sha256').update(key).digest('base64url') : key;
}

function textsOf({from, to, subject, user}: FaultContext): MatchTexts {
	const some = (text: string | null | undefined) => (text == null ? [] : [text]);
	return {from: some(from), to, subject: some(subject), user: some(user)};
}

function inLowerCase({from, to, subject, user}: MatchTexts): MatchTexts {
	const lower = (texts: readonly string[]) => texts.map(text => text.toLowerCase());
	return {from: lower(from), to: lower(to), subject: lower(subject), user: lower(user)};
}

function hitOf(
	{stage, client, user, from, to, inboxIds, messageIds}: FaultContext,
	inboxId: string | null,
	{faultId, reply, drop, delayMs}: FaultEffect,
	name: string | null,
	now: Date,
): FaultHit {
	const cut = <Text extends string | null>(text: Text) => text && shortCopy(text, maxText);
	const isKept = stage === 'end' && reply === null && (drop === 'mid' || drop === 'after_commit');
	return {
		id: createId(),
		faultId,
		name,
		inboxId,
		time: now.toISOString(),
		stage,
		client: {host: shortCopy(client.host, maxText), helo: cut(client.helo)},
		user: cut(user),
		envelope: {from: cut(from), to: someOf(to)},
		reply: reply === null || drop === 'before' ? null : replyLine(reply),
		drop,
		delayMs,
		messageId: (isKept && messageIds?.[inboxId === null ? 0 : inboxIds.indexOf(inboxId)]) || null,
	};
}

/** As many recipients as there is room for. */
function someOf(recipients: readonly string[]): readonly string[] {
	let room = maxRecipients;
	const some: string[] = [];
	for (const address of recipients) {
		const short = shortCopy(address, maxText);
		room -= short.length;
		if (room < 0) {
			break;
		}

		some.push(short);
	}

	return some;
}

/** Addresses that are remembered to have been refused, the newest. */
const maxRefused = 10_000;

/** The faults that there are, and where none of them acts, those that addresses ask for. */
export class AddressFaults {
	readonly #atWork: FaultEngine;
	readonly #inboxes: Pick<Inboxes, 'resolve' | 'there'>;
	/** Those that are to be taken the next time. */
	readonly #refused = new Set<string>();

	constructor(atWork: FaultEngine, inboxes: Pick<Inboxes, 'resolve' | 'there'>) {
		this.#atWork = atWork;
		this.#inboxes = inboxes;
	}

	/** As that of `FaultsAtWork`, for a recipient or a mail to these recipients. */
	mayAct(stage: FaultStage, recipients: readonly string[] = []): boolean {
		const mayAsk = stage === 'rcpt' || stage === 'end';
		return this.#atWork.mayAct(stage) || (mayAsk && recipients.some(address => address.includes('+')));
	}

	/** As that of `FaultsAtWork`. */
	evaluate(occasion: FaultContext): Promise<FaultEffect | null> | null {
		const met = this.#atWork.evaluate(occasion);
		return occasion.to.some(address => address.includes('+')) ? this.#meetEither(met, occasion) : met;
	}

	async #meetEither(met: Promise<FaultEffect | null> | null, occasion: FaultContext): Promise<FaultEffect | null> {
		return (await met) ?? this.#ask(occasion);
	}

	async #ask(occasion: FaultContext): Promise<FaultEffect | null> {
		for (const address of occasion.to.filter(to => to.includes('+'))) {
			const inbox = await this.#inboxOf(address, occasion);
			const magic = inbox && magicOf(address, inbox.address);
			if (magic?.does === 'fault' && magic.fault.stage === occasion.stage && this.#acts(magic.fault, address)) {
				const {effect, name} = magic.fault;
				this.#atWork.acted(occasion, inbox?.id ?? null, effect, name);
				return effect;
			}
		}

		return null;
	}

	async #inboxOf(address: string, {inboxIds: [id, ...others]}: FaultContext) {
		return id === undefined || others.length > 0 ? this.#inboxes.resolve(address) : this.#inboxes.there(id);
	}

	#acts({isOnce}: MagicFault, address: string): boolean {
		const key = canonicalAddress(address);
		if (!isOnce || this.#refused.delete(key)) {
			return !isOnce;
		}

		this.#refused.add(key);
		if (this.#refused.size > maxRefused) {
			this.#refused.delete(this.#refused.keys().next().value ?? '');
		}

		return true;
	}
}

/** A fault that is ready to be asked. */
type Rule = {
	readonly fault: Fault;
	/** When it is over (milliseconds). */
	readonly endsAt: number;
	/** Whether texts in lower case fit all patterns that take little time. */
	readonly fits: (texts: MatchTexts) => boolean;
	/** The patterns when there are regular expressions among them, which are compared elsewhere; null when there are none. */
	readonly regexes: FaultMatch | null;
};

const none: readonly Rule[] = [];

/** What there is to ask at one stage. */
class StageRules {
	readonly #rules: readonly Rule[];
	/** They are asked at each command, and mostly none fits. */
	readonly #mayFit: (texts: MatchTexts) => boolean;

	constructor(faults: readonly Fault[]) {
		this.#rules = faults.map(ruleOf);
		this.#mayFit = plainTestOfAny(faults.map(({match}) => match));
	}

	/** Those that are not over (`now` in milliseconds) and whose plain patterns texts in lower case fit, oldest first. */
	fitting(texts: MatchTexts, now: number): readonly Rule[] {
		return this.#mayFit(texts) ? this.#rules.filter(({endsAt, fits}) => endsAt > now && fits(texts)) : none;
	}
}

/** Makes faults ready once for as long as they stay the same, which their array tells. Undefined where none is for the stage. */
function createRules(): (faults: readonly Fault[], stage: FaultStage) => StageRules | undefined {
	const known = new WeakMap<readonly Fault[], Map<FaultStage, StageRules>>();
	return (faults, stage) => {
		let ready = known.get(faults);
		if (!ready) {
			ready = new Map([...stagesOf(faults)].map(([at, those]) => [at, new StageRules(those)]));
			known.set(faults, ready);
		}

		return ready.get(stage);
	};
}

function stagesOf(faults: readonly Fault[]): ReadonlyMap<FaultStage, readonly Fault[]> {
	const byStage = new Map<FaultStage, Fault[]>();
	for (const fault of faults) {
		byStage.set(fault.stage, [...(byStage.get(fault.stage) ?? []), fault]);
	}

	return byStage;
}

function ruleOf(fault: Fault): Rule {
	return {
		fault,
		endsAt: fault.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(fault.expiresAt),
		fits: plainTest(fault.match),
		regexes: regexesIn(fault.match).length > 0 ? fault.match : null,
	};
}

/** A mail that is about to be kept, as these messages. */
type ComingMail = Pick<Message, 'envelope' | 'session' | 'summary'> & {
	/** The bytes of the mail. */
	read(): AsyncIterable<Buffer> | Promise<AsyncIterable<Buffer>>;
	readonly messages: readonly Message[];
};

/** Thrown where a mail is not kept, since a fault refuses it. */
export class FaultRejection extends Error {
	readonly effect: FaultEffect;

	constructor(effect: FaultEffect) {
		super('A fault rejected the mail.');
		this.effect = effect;
	}
}

/** Asks the faults about mail that has come in whole. */
export class MailFaults {
	readonly #faults: Pick<AddressFaults, 'mayAct' | 'evaluate'>;

	constructor(faults: Pick<AddressFaults, 'mayAct' | 'evaluate'>) {
		this.#faults = faults;
	}

	/**
	 * What happens to the answer to a mail that is to be kept; null when nothing does, and always for what no client sent.
	 * Throws `Faulted`.
	 */
	async meet({envelope, session, summary, read, messages}: ComingMail): Promise<FaultEffect | null> {
		if (!session || !this.#faults.mayAct('end', envelope.to)) {
			return null;
		}

		const effect = await this.#faults.evaluate({
			stage: 'end',
			client: session.client,
			user: session.auth?.user ?? null,
			inboxIds: messages.map(({inboxId}) => inboxId),
			from: envelope.from,
			to: envelope.to,
			subject: summary.subject,
			messageKey: async () => summary.messageId || hashOf(await read()),
			messageIds: messages.map(({id}) => id),
		});
		if (effect && (effect.reply || effect.drop === 'before')) {
			throw new FaultRejection(effect);
		}

		return effect;
	}
}

async function hashOf(source: AsyncIterable<Buffer>): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of source) {
		hash.update(chunk);
	}

	return hash.digest('base64url');
}
