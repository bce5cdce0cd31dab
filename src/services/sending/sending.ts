import {droppedByFault, type RefusalStage, type SendProvider} from '../../contract/constants.js';
import {readSendKey} from '../../domain/accounts/secrets.js';
import {AppError} from '../../domain/errors.js';
import {combineEffects, type FaultEffect, replyLine} from '../../domain/faults/fault.js';
import type {Session} from '../../domain/mail/message.js';
import {
	type MailOutcome,
	maxRepeatedText,
	type Receipt,
	SendError,
	type SendFailure,
	type SentMail,
} from '../../domain/mail/sending.js';
import type {LogIds} from '../../lib/log.js';
import {shortCopy} from '../../lib/text/sanitize.js';
import {type FaultContext, type FaultEngine, FaultRejection} from '../faults/engine.js';
import type {IncomingMail, MailReceiver, ReceivedMails} from '../messages/receive.js';
import type {Recipients} from '../messages/recipients.js';
import type {RequestSources, SourceKeeper} from '../messages/request-sources.js';
import type {HeldSource, SendRequest} from '../messages/source.js';
import type {NewRefusal, Refusals} from '../refusals.js';
import type {Sender, Senders} from './senders.js';

/** Mail with its source. Texts and attachments are only in the source. */
type ComposedMail = {readonly mail: SentMail; readonly source: HeldSource};

/** Mail of a request: composed, accepted by the provider but never sent, or rejected. */
export type SubmittedMail = ComposedMail | {readonly dropped: SentMail} | {readonly failure: SendFailure};

/** Client facts for refusal reports. */
type Caller = Pick<NewRefusal, 'client' | 'ids'>;

/** Authenticated caller of a sending API. */
export type Asker = {
	readonly provider: SendProvider;
	readonly sender: Sender;
	readonly session: Session;
	readonly caller: Caller;
};

/** Creates the receipt of a request; undefined if it is too large to be stored. */
export type CreateReceipt = (outcomes: readonly MailOutcome[]) => Receipt | undefined;

/** Mails of a request. */
type Submission = Asker & {
	readonly request: Omit<SendRequest, 'provider'>;
	readonly mails: readonly SubmittedMail[];
	/** Sending domain, if the request names one. */
	readonly domain: string | undefined;
	/** True if rejected mails do not prevent the others from being sent. */
	readonly allowsPartialSuccess: boolean;
	/** Waits until the sender may continue. Called between mails. */
	readonly turn: () => Promise<void>;
	/** Creates the receipt that is stored in the same commit as the mails. */
	readonly receipt?: CreateReceipt | undefined;
};

/** Outcome of each mail, and the effect of faults on the response. */
export type SendResult = {readonly outcomes: readonly MailOutcome[]; readonly effect: FaultEffect | null};

type SendingOptions = {
	readonly senders: Pick<Senders, 'identify'>;
	readonly receiver: Pick<MailReceiver, 'receive'>;
	readonly recipients: Pick<Recipients, 'accept' | 'inboxesFor' | 'resolve'>;
	readonly faults: Pick<FaultEngine, 'mayAct' | 'evaluate'>;
	readonly refusals: Pick<Refusals, 'add'>;
	readonly sources: Pick<SourceKeeper, 'open'>;
	/** Lower-case domains. If empty, all senders are accepted. */
	readonly verifiedDomains: readonly string[];
	/** Maximum size of a mail. */
	readonly maxBytes: number;
};

/** Maximum number of recipients that are resolved to find the tenant of a request. */
const maxTenantLookups = 100;

/** Providers for which a verified domain includes its subdomains. */
const coversSubdomains: readonly SendProvider[] = ['ses'];

/** Check in progress: the corresponding SMTP stage and the addresses that it concerns. */
type Step = {readonly stage: RefusalStage; readonly addresses: ReadonlyArray<string | null>};

/** Accepts the mail of sending APIs. Records rejections in the same way as SMTP does. */
export class Sending {
	readonly #options: SendingOptions;

	constructor(options: SendingOptions) {
		this.#options = options;
	}

	/** Maximum size of a mail. */
	get maxBytes(): number {
		return this.#options.maxBytes;
	}

	/** Opens the sources of the mails of a request. They must be discarded after `send`. */
	openSources({sender}: Asker): RequestSources {
		return this.#options.sources.open(sender.owner);
	}

	/**
	 * Identifies the tenant of a request: `''` for the key of an inbox, otherwise the owner of the first inbox that its mails reach, as
	 * apps of several users may use the same key.
	 */
	async tenantOf(
		{sender}: Asker,
		mails: ReadonlyArray<SubmittedMail | {readonly unrendered: SentMail}>,
	): Promise<string> {
		if (sender.inboxId !== undefined) {
			return '';
		}

		const addresses = mails.flatMap(one => {
			const mail = 'unrendered' in one ? one.unrendered : 'mail' in one ? one.mail : undefined;
			return mail?.envelope.to ?? [];
		});
		for (const address of addresses.slice(0, maxTenantLookups)) {
			const [reached] = await this.#options.recipients.resolve([address]);
			if (reached) {
				return reached.inbox.ownerId;
			}
		}

		return '';
	}

	/** Authenticates a request and applies login faults. Throws `SendError`. */
	async begin(
		provider: SendProvider,
		key: string | undefined,
		connection: Pick<Session, 'tls' | 'client'>,
		ids: LogIds,
	): Promise<{readonly asker: Asker; readonly effect: FaultEffect | null}> {
		const caller = {client: connection.client, ids};
		const sender = await this.#identify(key, caller);
		const {inboxId = null, user} = sender;
		const asker = {provider, sender, session: {...connection, auth: {mechanism: 'API-KEY', user}}, caller};
		const inboxIds = inboxId === null ? [] : [inboxId];
		const context = {stage: 'auth', ...caller, user, inboxIds, from: null, to: []} as const;
		return {asker, effect: await this.#applyFaults(context, caller, {stage: 'auth', addresses: [inboxId]})};
	}

	/**
	 * Stores the mails in one commit: all or none, unless `allowsPartialSuccess`. Resolves when they are durable. Throws `SendError`, and the
	 * errors of `MailReceiver`.
	 */
	async send(submission: Submission): Promise<SendResult> {
		const {mails, allowsPartialSuccess, provider, request, receipt, turn} = submission;
		const {receiver, recipients} = this.#options;
		const {accepted, outcomes, effect} = await this.#checkAll(submission);
		const allOutcomes = (received: Pick<ReceivedMails, 'messageIds' | 'failures'>) => {
			const receivedOutcomes = new Map(
				accepted.map((composed, index) => [composed, this.#outcomeOf(composed, index, received)]),
			);
			return mails.map(mail => outcomes.get(mail) ?? receivedOutcomes.get(mail as ComposedMail)).filter(isDefined);
		};
		try {
			const received = await receiver.receive(
				accepted.map(composed => incomingMail(submission, composed, recipients)),
				{
					request: {...request, provider},
					allowsPartialSuccess,
					turn,
					receipt: receipt && (all => receipt(allOutcomes(all))),
				},
			);
			for (const [index, error] of received.failures) {
				this.#recordFaultRejection(error, accepted.slice(index, index + 1), submission);
			}

			return {outcomes: allOutcomes(received), effect: combineEffects(effect, received.effect)};
		} catch (error) {
			throw this.#recordFaultRejection(error, accepted, submission);
		}
	}

	/** Checks each mail. Returns the accepted ones, and the outcomes of the others. */
	async #checkAll(submission: Submission) {
		const {mails, allowsPartialSuccess, turn} = submission;
		const accepted: ComposedMail[] = [];
		const outcomes = new Map<SubmittedMail, MailOutcome>();
		let effect: FaultEffect | null = null;
		for (const mail of mails) {
			if (!('source' in mail)) {
				outcomes.set(mail, 'failure' in mail ? mail : sentOutcome(mail.dropped, []));
				continue;
			}

			if (accepted.length > 0) {
				await turn();
			}

			try {
				effect = combineEffects(effect, await this.#check(mail, submission));
				accepted.push(mail);
			} catch (error) {
				if (!allowsPartialSuccess || !(error instanceof SendError) || error.effect?.drop) {
					throw error;
				}

				outcomes.set(mail, {failure: error.failure});
				effect = combineEffects(effect, error.effect);
			}
		}

		return {accepted, outcomes, effect};
	}

	#outcomeOf(
		{mail}: ComposedMail,
		index: number,
		{messageIds, failures}: Pick<ReceivedMails, 'messageIds' | 'failures'>,
	): MailOutcome {
		const failure = failures.has(index) ? failureIn(failures.get(index), this.#options.maxBytes) : undefined;
		return failure ? {failure} : sentOutcome(mail, messageIds[index] ?? []);
	}

	async #identify(key: string | undefined, caller: Caller): Promise<Sender> {
		try {
			return await this.#options.senders.identify(key, caller.client.host);
		} catch (error) {
			if (error instanceof SendError) {
				const inbox = (key && readSendKey(key)?.inbox) || null;
				this.#recordRefusal(
					caller,
					{stage: 'auth', addresses: [inbox]},
					null,
					loginReasons[error.failure.type] ?? error.message,
				);
			}

			throw error;
		}
	}

	/** Checks the size, the sender and the recipients of a mail. Throws `SendError`. */
	async #check({mail, source}: ComposedMail, submission: Submission): Promise<FaultEffect | null> {
		const {maxBytes} = this.#options;
		if (source.length > maxBytes) {
			throw new SendError({type: 'too_large', maxBytes});
		}

		this.#assertVerified(mail, submission);
		let effect: FaultEffect | null = null;
		for (const address of mail.envelope.to) {
			effect = combineEffects(effect, await this.#checkRecipient(address, mail, submission));
		}

		return effect;
	}

	#assertVerified({content, envelope}: SentMail, {provider, domain: sendingDomain, caller}: Submission): void {
		const {verifiedDomains} = this.#options;
		const address = sendingDomain ?? ('raw' in content ? envelope.from : content.from.address);
		const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
		const isVerified = (one: string) =>
			one === domain || (coversSubdomains.includes(provider) && domain.endsWith(`.${one}`));
		if (verifiedDomains.length > 0 && !verifiedDomains.some(isVerified)) {
			this.#recordRefusal(caller, {stage: 'mail', addresses: [address]}, null, `${domain} is not a verified domain`);
			throw new SendError({type: 'unverified_sender', address});
		}
	}

	/** Resolves a recipient and applies its faults. An unknown recipient is recorded, but no error. */
	async #checkRecipient(address: string, mail: SentMail, asker: Asker): Promise<FaultEffect | null> {
		const {recipients} = this.#options;
		const {provider, sender, caller} = asker;
		const step: Step = {stage: 'rcpt', addresses: [address]};
		const isAccepted = await recipients.accept(address, mail, sender.inboxId);
		if (isAccepted === 'later') {
			const detail = 'Too many recipients with webhooks; send to the remaining recipients separately';
			this.#recordRefusal(caller, step, null, detail);
			throw new SendError({type: 'refused', detail, address});
		}

		if (!isAccepted) {
			this.#recordRefusal(caller, step, `accepted (as ${provider} does)`, 'no such inbox');
			return null;
		}

		const inboxIds = recipients.inboxesFor([address], mail).map(({inbox}) => inbox.id);
		const {from} = mail.envelope;
		const context = {stage: 'rcpt', ...caller, user: sender.user, inboxIds, from, to: [address]} as const;
		return this.#applyFaults(context, caller, step);
	}

	/** Applies faults. Returns delays and drips; throws `SendError` for a rejection or a dropped connection. */
	async #applyFaults(context: FaultContext, caller: Caller, step: Step): Promise<FaultEffect | null> {
		const {faults} = this.#options;
		const effect = faults.mayAct(context.stage, context.to) ? await faults.evaluate(context) : null;
		if (effect && (effect.reply || effect.drop)) {
			throw this.#rejectionBy(effect, caller, step);
		}

		return effect;
	}

	/** Converts the rejection of a fault to `SendError` and records it. Returns other errors unchanged. */
	#recordFaultRejection(error: unknown, mails: readonly ComposedMail[], {caller}: Submission): unknown {
		const addresses = mails.flatMap(({mail}) => mail.envelope.to);
		return error instanceof FaultRejection
			? this.#rejectionBy(error.effect, caller, {stage: 'data', addresses})
			: error;
	}

	#rejectionBy(effect: FaultEffect, caller: Caller, step: Step): SendError {
		const {reply} = effect;
		this.#recordRefusal(caller, step, reply && replyLine(reply), reply?.text ?? droppedByFault);
		const [recipient] = step.stage === 'rcpt' ? step.addresses : [];
		return new SendError(failureBy(effect, this.#options.maxBytes, recipient ?? undefined), effect);
	}

	#recordRefusal(caller: Caller, {stage, addresses}: Step, reply: string | null, reason: string): void {
		this.#options.refusals.add({...caller, stage, addresses, reply, reason});
	}
}

function sentOutcome({id, echo}: SentMail, messageIds: readonly string[]): MailOutcome {
	return {id, messageIds, ...(echo && {echo})};
}

function isDefined<Value>(value: Value | undefined): value is Value {
	return value !== undefined;
}

function incomingMail(
	{provider, sender, session, request: {path}}: Submission,
	{mail, source}: ComposedMail,
	recipients: Pick<Recipients, 'inboxesFor'>,
): IncomingMail {
	const {envelope, id, tags, metadata, template} = mail;
	const warnings = mail.warnings.map(warning => shortCopy(warning, maxRepeatedText));
	const usedTemplate = template ? {id: template.id, registered: template.isRegistered ?? false} : null;
	const request = {provider, path, id, tags, metadata, template: usedTemplate, warnings};
	const accepted = recipients.inboxesFor(envelope.to, mail);
	const {inboxId} = sender;
	return {envelope, session: {...session, request}, source, recipients: accepted, inboxId, data: template?.data};
}

/** `Retry-After` in seconds of temporary fault rejections. */
const retryAfter = 1;

/** Failure for an error that a request or a mail threw; undefined for unexpected errors. */
export function failureIn(error: unknown, maxBytes: number): SendFailure | undefined {
	if (error instanceof SendError) {
		return error.failure;
	}

	if (error instanceof FaultRejection) {
		return failureBy(error.effect, maxBytes);
	}

	return error instanceof AppError ? failureOfApp(error, maxBytes) : undefined;
}

/** Failure for the reply of a fault; `address` is the rejected recipient. */
function failureBy({reply}: FaultEffect, maxBytes: number, address?: string): SendFailure {
	if (reply === null) {
		return {type: 'unavailable'};
	}

	const {code, text} = reply;
	if (code === 452) {
		return {type: 'storage_full'};
	}

	if (code === 552) {
		return {type: 'too_large', maxBytes};
	}

	return code < 500 ? {type: 'rate_limited', retryAfter} : {type: 'refused', detail: text, address};
}

function failureOfApp({code, message, details}: AppError, maxBytes: number): SendFailure {
	switch (code) {
		case 'rate_limited':
			return {type: 'rate_limited', retryAfter: details.retryAfter ?? retryAfter};
		case 'too_large':
			return {type: 'too_large', maxBytes};
		case 'storage_full':
		case 'limit_reached':
			return {type: 'storage_full'};
		case 'not_found':
			// The inbox of the key was deleted meanwhile.
			return {type: 'wrong_key'};
		case 'unavailable':
		case 'stopping':
			return {type: 'unavailable'};
		default:
			return {type: 'refused', detail: message, address: undefined};
	}
}

/** Reasons of failed logins in refusal reports. */
const loginReasons: Partial<Readonly<Record<SendFailure['type'], string>>> = {
	no_key: 'no API key',
	wrong_key: 'invalid API key',
	rate_limited: 'too many invalid API keys',
};
