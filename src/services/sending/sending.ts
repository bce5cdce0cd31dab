import {droppedByFault, type RefusalStage, type SendProvider} from '../../contract/constants.js';
import {readSendKey} from '../../domain/accounts/secrets.js';
import {AppError} from '../../domain/errors.js';
import {combineEffects, type FaultEffect, replyLine} from '../../domain/faults/fault.js';
import type {Session} from '../../domain/mail/message.js';
import {type Receipt, type SendFailure, type SentMail, Unsent} from '../../domain/mail/sending.js';
import type {LogIds} from '../../lib/log.js';
import {type FaultContext, type FaultEngine, FaultRejection} from '../faults/engine.js';
import type {IncomingMail, MailReceiver, ReceivedMails} from '../messages/receive.js';
import type {Recipients} from '../messages/recipients.js';
import type {SendRequest} from '../messages/source.js';
import type {NewRefusal, Refusals} from '../refusals.js';
import type {Sender, Senders} from './senders.js';

/** A mail as it was asked for, and its source. */
type ComposedMail = {readonly mail: SentMail; readonly source: Buffer};

/** As a refusal tells of it. */
type Caller = Pick<NewRefusal, 'client' | 'ids'>;

/** Who asks, and how. */
export type Asker = {
	readonly provider: SendProvider;
	readonly sender: Sender;
	readonly session: Session;
	readonly caller: Caller;
};

/** The mails of a request. */
type Submission = Asker & {
	readonly request: Omit<SendRequest, 'provider'>;
	readonly mails: readonly ComposedMail[];
	/** The domain that sends, where the request names one. */
	readonly domain: string | undefined;
	/** One that is refused does not keep the others from being sent. */
	readonly isEachAlone: boolean;
	/** Makes what is to be stored with them, told what becomes of each. */
	readonly receipt?: ((sent: readonly Sent[]) => Receipt) | undefined;
};

/** What becomes of a mail: the messages that it is kept as (none where no recipient is anybody's), or why there are none. */
export type Sent = {readonly messageIds: readonly string[]} | {readonly failure: SendFailure};

export type SendingOptions = {
	readonly senders: Pick<Senders, 'identify'>;
	readonly receiver: Pick<MailReceiver, 'receive'>;
	readonly recipients: Pick<Recipients, 'accept' | 'accepted'>;
	readonly faults: Pick<FaultEngine, 'mayAct' | 'evaluate'>;
	readonly refusals: Pick<Refusals, 'add'>;
	/** In small letters; mail is taken from all when there is none. */
	readonly verifiedDomains: readonly string[];
	/** Bytes of one mail. */
	readonly maxBytes: number;
};

/** Providers to which a verified domain stands for those below it, too. To the others each is a domain of its own. */
const coversSubdomains: readonly SendProvider[] = ['ses'];

/** What is being asked about: at which stage of SMTP it would be, and whom it is about. */
type Step = {readonly stage: RefusalStage; readonly addresses: ReadonlyArray<string | null>};

/** Takes in mail that an application has a sending API send. What is refused is told as what SMTP refuses is. */
export class Sending {
	readonly #options: SendingOptions;

	constructor(options: SendingOptions) {
		this.#options = options;
	}

	/** Bytes of one mail. */
	get maxBytes(): number {
		return this.#options.maxBytes;
	}

	/** Finds out who asks, by the key of a request, and meets the faults of logins. Throws `Unsent`. */
	async begin(
		provider: SendProvider,
		key: string | undefined,
		came: Pick<Session, 'tls' | 'client'>,
		ids: LogIds,
	): Promise<{readonly asker: Asker; readonly effect: FaultEffect | null}> {
		const caller = {client: came.client, ids};
		const sender = await this.#identify(key, caller);
		const {inboxId = null, user} = sender;
		const asker = {provider, sender, session: {...came, auth: {mechanism: 'API-KEY', user}}, caller};
		const inboxIds = inboxId === null ? [] : [inboxId];
		const occasion = {stage: 'auth', ...caller, user, inboxIds, from: null, to: []} as const;
		return {asker, effect: await this.#meet(occasion, caller, {stage: 'auth', addresses: [inboxId]})};
	}

	/**
	 * Keeps the mails in one commit: all of them or none, unless each is alone. They are durable once this resolved, to what became
	 * of each, in their order, and to what a fault does to the answer. Throws `Unsent`, and as `Messages` does.
	 */
	async send(submission: Submission): Promise<{readonly sent: readonly Sent[]; readonly effect: FaultEffect | null}> {
		const {mails, isEachAlone, provider, request, receipt} = submission;
		const {receiver, recipients, maxBytes} = this.#options;
		const sent = new Map<ComposedMail, Sent>();
		let effect: FaultEffect | null = null;
		for (const composed of mails) {
			try {
				effect = combineEffects(effect, await this.#ask(composed, submission));
			} catch (error) {
				if (!isEachAlone || !(error instanceof Unsent) || error.effect?.drop) {
					throw error;
				}

				sent.set(composed, {failure: error.failure});
				effect = combineEffects(effect, error.effect);
			}
		}

		const taken = mails.filter(composed => !sent.has(composed));
		const inOrder = ({messageIds, failures}: Pick<ReceivedMails, 'messageIds' | 'failures'>): readonly Sent[] => {
			for (const [index, composed] of taken.entries()) {
				const failure = failures.has(index) ? failureIn(failures.get(index), maxBytes) : undefined;
				sent.set(composed, failure ? {failure} : {messageIds: messageIds[index] ?? []});
			}

			return mails.map(composed => sent.get(composed) ?? {messageIds: []});
		};
		try {
			const outcome = await receiver.receive(
				taken.map(composed => incomingMail(submission, composed, recipients)),
				{request: {...request, provider}, isEachAlone, receipt: receipt && (outcome => receipt(inOrder(outcome)))},
			);
			for (const [index, error] of outcome.failures) {
				this.#refusedAtEnd(error, taken.slice(index, index + 1), submission);
			}

			return {sent: inOrder(outcome), effect: combineEffects(effect, outcome.effect)};
		} catch (error) {
			throw this.#refusedAtEnd(error, taken, submission);
		}
	}

	async #identify(key: string | undefined, caller: Caller): Promise<Sender> {
		try {
			return await this.#options.senders.identify(key, caller.client.host);
		} catch (error) {
			if (error instanceof Unsent) {
				const inbox = (key && readSendKey(key)?.inbox) || null;
				this.#tell(
					caller,
					{stage: 'auth', addresses: [inbox]},
					null,
					loginReasons[error.failure.type] ?? error.message,
				);
			}

			throw error;
		}
	}

	/** Whether a mail may be sent, and to whom. Throws `Unsent`. */
	async #ask({mail, source}: ComposedMail, submission: Submission): Promise<FaultEffect | null> {
		const {maxBytes} = this.#options;
		if (source.length > maxBytes) {
			throw new Unsent({type: 'too_large', maxBytes});
		}

		this.#assertVerified(mail, submission);
		let effect: FaultEffect | null = null;
		for (const address of mail.envelope.to) {
			effect = combineEffects(effect, await this.#askFor(address, mail, submission));
		}

		return effect;
	}

	#assertVerified({content, envelope}: SentMail, {provider, domain: sending, caller}: Submission): void {
		const {verifiedDomains} = this.#options;
		const address = sending ?? ('raw' in content ? envelope.from : content.from.address);
		const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
		const isVerified = (one: string) =>
			one === domain || (coversSubdomains.includes(provider) && domain.endsWith(`.${one}`));
		if (verifiedDomains.length > 0 && !verifiedDomains.some(isVerified)) {
			this.#tell(caller, {stage: 'mail', addresses: [address]}, null, `${domain} is not a verified domain`);
			throw new Unsent({type: 'unverified_sender', address});
		}
	}

	/** Asks whether somebody takes mail for the address. Where nobody does, that is told, and no reason not to send. */
	async #askFor(address: string, mail: SentMail, asker: Asker): Promise<FaultEffect | null> {
		const {recipients} = this.#options;
		const {provider, sender, caller} = asker;
		const step: Step = {stage: 'rcpt', addresses: [address]};
		const isTaken = await recipients.accept(address, mail, sender.inboxId);
		if (isTaken === 'later') {
			const detail = 'Too many recipients with webhooks; send to the remaining recipients separately';
			this.#tell(caller, step, null, detail);
			throw new Unsent({type: 'refused', detail, address});
		}

		if (!isTaken) {
			this.#tell(caller, step, `accepted (as ${provider} does)`, 'no such inbox');
			return null;
		}

		const inboxIds = recipients.accepted([address], mail).map(({inbox}) => inbox.id);
		const {from} = mail.envelope;
		const occasion = {stage: 'rcpt', ...caller, user: sender.user, inboxIds, from, to: [address]} as const;
		return this.#meet(occasion, caller, step);
	}

	/** What else a fault does than to refuse; for that it throws. */
	async #meet(occasion: FaultContext, caller: Caller, step: Step): Promise<FaultEffect | null> {
		const {faults} = this.#options;
		const effect = faults.mayAct(occasion.stage, occasion.to) ? await faults.evaluate(occasion) : null;
		if (effect && (effect.reply || effect.drop)) {
			throw this.#refusedBy(effect, caller, step);
		}

		return effect;
	}

	/** What was thrown where the mails were to be kept; of a fault it is told. */
	#refusedAtEnd(error: unknown, mails: readonly ComposedMail[], {caller}: Submission): unknown {
		const addresses = mails.flatMap(({mail}) => mail.envelope.to);
		return error instanceof FaultRejection ? this.#refusedBy(error.effect, caller, {stage: 'data', addresses}) : error;
	}

	#refusedBy(effect: FaultEffect, caller: Caller, step: Step): Unsent {
		const {reply} = effect;
		this.#tell(caller, step, reply && replyLine(reply), reply?.text ?? droppedByFault);
		const [recipient] = step.stage === 'rcpt' ? step.addresses : [];
		return new Unsent(failureBy(effect, this.#options.maxBytes, recipient ?? undefined), effect);
	}

	#tell(caller: Caller, {stage, addresses}: Step, reply: string | null, reason: string): void {
		this.#options.refusals.add({...caller, stage, addresses, reply, reason});
	}
}

/** As it is to be kept. */
function incomingMail(
	{provider, sender, session, request: {path}}: Submission,
	{mail, source}: ComposedMail,
	recipients: Pick<Recipients, 'accepted'>,
): IncomingMail {
	const {envelope, id, tags, metadata, template, warnings} = mail;
	const asked = template ? {id: template.id, registered: template.isRegistered ?? false} : null;
	const request = {provider, path, id, tags, metadata, template: asked, warnings};
	const accepted = recipients.accepted(envelope.to, mail);
	const {inboxId} = sender;
	return {envelope, session: {...session, request}, source, recipients: accepted, inboxId, data: template?.data};
}

/** Seconds after which a client may try again whom a fault sends away for now. */
const retryAfter = 1;

/** How a request to a sending API, or one of its mails, failed, by what was thrown; undefined for a bug. */
export function failureIn(error: unknown, maxBytes: number): SendFailure | undefined {
	if (error instanceof Unsent) {
		return error.failure;
	}

	if (error instanceof FaultRejection) {
		return failureBy(error.effect, maxBytes);
	}

	return error instanceof AppError ? failureOfApp(error, maxBytes) : undefined;
}

/** What the reply of a fault comes to; `address` is the recipient that it is about. */
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
			// The inbox of the key, since it was looked at.
			return {type: 'wrong_key'};
		case 'unavailable':
		case 'stopping':
			return {type: 'unavailable'};
		default:
			return {type: 'refused', detail: message, address: undefined};
	}
}

/** Why nobody is let in, as a refusal says it. */
const loginReasons: Partial<Readonly<Record<SendFailure['type'], string>>> = {
	no_key: 'no API key',
	wrong_key: 'invalid API key',
	rate_limited: 'too many invalid API keys',
};
