import {createHash} from 'node:crypto';
import {v7 as createId} from 'uuid';
import type {FaultStage} from '../../contract/constants.js';
import {describeFaultHit} from '../../contract/descriptions.js';
import type {FaultMatch} from '../../contract/faults.js';
import {AppError} from '../../domain/errors.js';
import {addressRequestOf} from '../../domain/faults/address-fault.js';
import {
	countEvent,
	effectOf,
	type Fault,
	type FaultEffect,
	type FaultHit,
	replyLine,
} from '../../domain/faults/fault.js';
import {type MatchTexts, plainTest, plainTestOfAny, regexesIn} from '../../domain/faults/match.js';
import {canonicalAddress} from '../../domain/mail/address.js';
import type {Inbox} from '../../domain/mail/inbox.js';
import {type Log, type LogIds, ThrottledLog} from '../../lib/log.js';
import {shortText} from '../../lib/text/sanitize.js';
import type {Parser} from '../../mime/parser.js';
import type {Store} from '../../store/port.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Feed} from '../live/feed.js';
import type {Observer} from '../observer.js';
import type {DeliveryPlanner} from '../webhooks/delivery-planner.js';

/** Maximum characters of all recipients of a hit together, and of the key of a counter. */
const maxRecipients = 2000;
const maxKey = 100;

/** Maximum number of remembered greylisted addresses; the oldest are dropped first. */
const maxGreylisted = 10_000;

/** Session state at the point where a fault may act. */
export type FaultContext = {
	readonly stage: FaultStage;
	readonly client: {readonly host: string; readonly helo: string | null};
	readonly ids?: LogIds;
	/** User name of the login; at stage `auth` the requested one. */
	readonly user: string | null;
	/** Inboxes whose faults are evaluated, in this order, before the daemon's. */
	readonly inboxIds: readonly string[];
	/** Envelope sender; null before MAIL. */
	readonly from: string | null;
	/** Accepted recipients; at stage `rcpt` the requested one. */
	readonly to: readonly string[];
	/** At stage `end`. */
	readonly subject?: string;
	/** At stage `end`: identifies the mail across retries, by its Message-ID or a hash. */
	readonly messageKey?: () => Promise<string>;
	/** At stage `end`: ids of the messages in `inboxIds`, in the same order. */
	readonly messageIds?: readonly string[];
};

/** Rules of an inbox, or of the daemon (null), whose plain patterns match. */
type Candidates = {readonly inboxId: string | null; readonly rules: readonly Rule[]};

type FaultEngineOptions = {
	readonly parser: Pick<Parser, 'fitMatches'>;
	readonly feed: Feed;
	readonly deliveryPlanner: Pick<DeliveryPlanner, 'planFaultHit' | 'store'>;
	/** Resolves addresses that request a fault, such as `name+fail-451@domain`; null if they are disabled. */
	readonly inboxes: Pick<Inboxes, 'resolve' | 'unexpired'> | null;
	readonly observer: Pick<Observer, 'faultHit'>;
	readonly now: () => Date;
	readonly log: Log;
};

/** A fault that rejects a mail, which is not stored then. */
export class FaultRejection extends Error {
	readonly effect: FaultEffect;

	constructor(effect: FaultEffect) {
		super('A fault rejected the mail.');
		this.effect = effect;
	}
}

/** Evaluates the faults of inboxes, then of the daemon, then fault addresses, and records each hit. */
export class FaultEngine {
	readonly #store: Pick<Store, 'faults' | 'inboxes'>;
	readonly #options: FaultEngineOptions;
	readonly #rules = new RuleCache();
	readonly #log: ThrottledLog;
	/** Login, sender and recipient of mails that were rejected once and are accepted the next time. */
	readonly #greylisted = new Set<string>();

	constructor(store: Pick<Store, 'faults' | 'inboxes'>, options: FaultEngineOptions) {
		this.#store = store;
		this.#options = options;
		this.#log = new ThrottledLog(options.log);
	}

	/** False if no fault can act at this stage, on these recipients: `evaluate` need not be called. */
	mayAct(stage: FaultStage, recipients: readonly string[] = []): boolean {
		return this.#store.faults.mayAct(stage) || this.#mayRequest(stage, recipients);
	}

	/** Counts the context for each matching fault, and returns the effect of the first that acts. Null at once if none matches. */
	evaluate(context: FaultContext): Promise<FaultEffect | null> | null {
		const now = this.#options.now().getTime();
		let texts: MatchTexts | undefined;
		const candidates: Candidates[] = [];
		for (const inboxId of [...context.inboxIds, null]) {
			const stageRules = this.#rules.get(this.#store.faults.of(inboxId), context.stage);
			if (stageRules) {
				texts ??= inLowerCase(textsOf(context));
				const rules = stageRules.matching(texts, now);
				if (rules.length > 0) {
					candidates.push({inboxId, rules});
				}
			}
		}

		const requests = this.#mayRequest(context.stage, context.to);
		return candidates.length > 0 || requests ? this.#evaluate(candidates, context, now, requests) : null;
	}

	async #evaluate(
		candidates: readonly Candidates[],
		context: FaultContext,
		now: number,
		requests: boolean,
	): Promise<FaultEffect | null> {
		for (const {inboxId, rules} of candidates) {
			for (const {fault} of await this.#matching(rules, inboxId, context)) {
				if (await this.#acts(fault, context, now)) {
					const effect = effectOf(fault);
					this.#record(context, inboxId, effect, fault.name);
					return effect;
				}
			}
		}

		return requests ? this.#evaluateAddresses(context) : null;
	}

	#mayRequest(stage: FaultStage, recipients: readonly string[]): boolean {
		const {inboxes} = this.#options;
		return inboxes !== null && (stage === 'rcpt' || stage === 'end') && recipients.some(to => to.includes('+'));
	}

	async #evaluateAddresses(context: FaultContext): Promise<FaultEffect | null> {
		for (const address of context.to.filter(to => to.includes('+'))) {
			const inbox = await this.#inboxOf(address, context);
			const requested = inbox && addressRequestOf(address, inbox.address);
			if (requested?.does === 'fault' && requested.fault.stage === context.stage) {
				const {effect, name, isOnce} = requested.fault;
				if (!isOnce || this.#greylist(`${context.user ?? ''} ${context.from ?? ''} ${canonicalAddress(address)}`)) {
					this.#record(context, inbox?.id ?? null, effect, name);
					return effect;
				}
			}
		}

		return null;
	}

	async #inboxOf(address: string, {inboxIds: [id, ...others]}: FaultContext): Promise<Inbox | undefined> {
		const {inboxes} = this.#options;
		return id === undefined || others.length > 0 ? inboxes?.resolve(address) : inboxes?.unexpired(id);
	}

	/** Returns true for every odd call with the key. */
	#greylist(key: string): boolean {
		if (this.#greylisted.delete(key)) {
			return false;
		}

		this.#greylisted.add(key);
		if (this.#greylisted.size > maxGreylisted) {
			this.#greylisted.delete(this.#greylisted.keys().next().value ?? '');
		}

		return true;
	}

	/** Logs, measures and stores a hit of a fault of an inbox, or of the daemon (null), in the background. */
	#record(context: FaultContext, inboxId: string | null, effect: FaultEffect, name: string | null): void {
		const now = this.#options.now();
		const hit = hitOf(context, inboxId, effect, name, now);
		const description = describeFaultHit({...hit, delay_ms: hit.delayMs});
		const {faultId: fault, messageId: message, client} = hit;
		const fields = {...context.ids, fault, inbox: inboxId, ...(message !== null && {message}), client};
		this.#log.info(fields, `Fault at ${description}`, now.getTime());
		this.#options.observer.faultHit(hit);
		this.#keep(hit).catch(error => {
			// The store itself logs a full disk, and a daemon that stops stores no more hits.
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

	/** Commits the deliveries after the hit, whose own write may be lost in a crash: no webhook reports a lost hit. */
	async #announce(hit: FaultHit, inbox: Inbox | null): Promise<void> {
		const {deliveryPlanner, now} = this.#options;
		await deliveryPlanner.store(await deliveryPlanner.planFaultHit(hit, inbox, now()));
	}

	/** The rules whose regular expressions match as well, in their order. All expressions are matched in one call. */
	async #matching(rules: readonly Rule[], inboxId: string | null, context: FaultContext): Promise<readonly Rule[]> {
		const withRegexes = rules.filter(({regexes}) => regexes !== null);
		if (withRegexes.length === 0) {
			return rules;
		}

		const owner = inboxId === null ? '' : (await this.#store.inboxes.get(inboxId))?.ownerId;
		const matches = withRegexes.map(({regexes}) => regexes ?? {});
		const results = await this.#options.parser.fitMatches(owner ?? '', matches, textsOf(context));
		return rules.filter(rule => rule.regexes === null || results[withRegexes.indexOf(rule)]);
	}

	async #acts(fault: Fault, context: FaultContext, now: number): Promise<boolean> {
		const acts = await this.#store.faults.count(fault.id, await counterKey(fault, context), before => {
			const {count, acts} = countEvent(fault, before, now);
			return {count, result: acts};
		});
		return acts ?? false;
	}
}

/** Key of the counter of a fault that counts per recipient or per message; null if it has one counter. */
async function counterKey({per}: Fault, {to, messageKey}: FaultContext): Promise<string | null> {
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
	const isKept = stage === 'end' && reply === null && (drop === 'mid' || drop === 'after_commit');
	return {
		id: createId(),
		faultId,
		name,
		inboxId,
		time: now.toISOString(),
		stage,
		client: {host: shortText(client.host), helo: shortText(client.helo)},
		user: shortText(user),
		envelope: {from: shortText(from), to: truncate(to)},
		reply: reply === null || drop === 'before' ? null : replyLine(reply),
		drop,
		delayMs,
		messageId: (isKept && messageIds?.[inboxId === null ? 0 : inboxIds.indexOf(inboxId)]) || null,
	};
}

/** The first recipients, up to `maxRecipients` characters. */
function truncate(recipients: readonly string[]): readonly string[] {
	let length = 0;
	const kept: string[] = [];
	for (const address of recipients) {
		const short = shortText(address);
		length += short.length;
		if (length > maxRecipients) {
			break;
		}

		kept.push(short);
	}

	return kept;
}

/** Fault prepared for evaluation. */
type Rule = {
	readonly fault: Fault;
	/** Expiry in milliseconds. */
	readonly expiresAt: number;
	/** Tests the plain patterns on texts in lower case. */
	readonly matches: (texts: MatchTexts) => boolean;
	/** Patterns with regular expressions, which are matched in a worker; null if there are none. */
	readonly regexes: FaultMatch | null;
};

const noRules: readonly Rule[] = [];

/** Rules of one stage. */
class StageRules {
	readonly #rules: readonly Rule[];
	/** Tests all rules at once: they are evaluated at each command, and usually none matches. */
	readonly #mayMatch: (texts: MatchTexts) => boolean;

	constructor(faults: readonly Fault[]) {
		this.#rules = faults.map(ruleOf);
		this.#mayMatch = plainTestOfAny(faults.map(({match}) => match));
	}

	/** Unexpired rules (`now` in milliseconds) whose plain patterns match texts in lower case, oldest first. */
	matching(texts: MatchTexts, now: number): readonly Rule[] {
		return this.#mayMatch(texts)
			? this.#rules.filter(({expiresAt, matches}) => expiresAt > now && matches(texts))
			: noRules;
	}
}

/** Rules by the array of faults that they are made of, which the store replaces with every change. */
class RuleCache {
	readonly #byFaults = new WeakMap<readonly Fault[], ReadonlyMap<FaultStage, StageRules>>();

	/** Rules of the stage; undefined if no fault acts there. */
	get(faults: readonly Fault[], stage: FaultStage): StageRules | undefined {
		let rules = this.#byFaults.get(faults);
		if (!rules) {
			rules = new Map([...groupByStage(faults)].map(([at, those]) => [at, new StageRules(those)]));
			this.#byFaults.set(faults, rules);
		}

		return rules.get(stage);
	}
}

function groupByStage(faults: readonly Fault[]): ReadonlyMap<FaultStage, readonly Fault[]> {
	const byStage = new Map<FaultStage, Fault[]>();
	for (const fault of faults) {
		byStage.set(fault.stage, [...(byStage.get(fault.stage) ?? []), fault]);
	}

	return byStage;
}

function ruleOf(fault: Fault): Rule {
	return {
		fault,
		expiresAt: fault.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(fault.expiresAt),
		matches: plainTest(fault.match),
		regexes: regexesIn(fault.match).length > 0 ? fault.match : null,
	};
}
