import {shortCopy} from '../../lib/text/sanitize.js';
import type {FaultEffect} from '../faults/fault.js';

/** Mailbox in a request to a sending API; `name` is `''` for none. */
export type NamedAddress = {readonly name: string; readonly address: string};

export type SentAttachment = {
	readonly filename: string;
	readonly content: Buffer;
	/** `''` if the request has none; the file name decides then. */
	readonly contentType: string;
	/** Without angle brackets; `''` for none. An attachment with one is inline by default. */
	readonly contentId: string;
	readonly disposition: 'attachment' | 'inline';
};

/** Content from which a mail is composed. */
export type ComposedContent = {
	readonly from: NamedAddress;
	readonly to: readonly NamedAddress[];
	readonly cc: readonly NamedAddress[];
	readonly replyTo: readonly NamedAddress[];
	readonly subject: string;
	readonly text?: string | undefined;
	readonly html?: string | undefined;
	readonly amp?: string | undefined;
	readonly attachments: readonly SentAttachment[];
	/** In order, perhaps repeated. Each provider rejects the fields that composing sets itself (Content-*, MIME-Version). */
	readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
	/** With angle brackets. */
	readonly messageId: string;
	/** Absent for now. */
	readonly date?: Date | undefined;
};

/** One mail of a request to a sending API. */
export type SentMail = {
	/** SMTP envelope. Bcc recipients are only here; `from` has no name. */
	readonly envelope: {readonly from: string; readonly to: readonly string[]};
	/** Content to compose, or complete source. */
	readonly content: ComposedContent | {readonly raw: Buffer};
	readonly tags: ReadonlyArray<{readonly name: string | null; readonly value: string}>;
	/** Custom arguments, metadata or variables, depending on the provider. */
	readonly metadata: Readonly<Record<string, string>>;
	/** Template to fill in before composing. */
	readonly template?:
		| {
				readonly id: string;
				readonly data: Readonly<Record<string, unknown>>;
				/** True once a registered template was filled in. */
				readonly isRegistered?: boolean;
		  }
		| undefined;
	/** Sentences about fields that are not supported here. */
	readonly warnings: readonly string[];
	/** Id of the mail in the provider's response. */
	readonly id: string;
	/** Fields that the provider's answer repeats. */
	readonly echo?: Readonly<Record<string, string>>;
};

/** Result of one mail of a request: the stored messages (none if no inbox has its recipients), or why it was not sent. */
export type MailOutcome =
	| {
			readonly id: string;
			readonly messageIds: readonly string[];
			/** Fields of the mail that the provider's answer repeats. */
			readonly echo?: Readonly<Record<string, string>> | undefined;
	  }
	| {readonly failure: SendFailure};

/** Reason why a request to a sending API, or one of its mails, failed. Each provider renders it in its own format. */
export type SendFailure =
	| {readonly type: 'no_key' | 'wrong_key' | 'unavailable' | 'storage_full' | 'internal' | 'not_found_mail'}
	| {readonly type: 'no_route'; readonly detail: string}
	| {readonly type: 'no_method'; readonly detail: string; readonly allow: string}
	| {readonly type: 'media_type'; readonly types: readonly string[]}
	/** The body is not valid JSON, form data or multipart. */
	| {readonly type: 'malformed'; readonly detail: string}
	/** A rule of the provider is violated. Everything but the type is in the provider's vocabulary. */
	| {
			readonly type: 'invalid';
			readonly message: string;
			readonly status?: number | undefined;
			readonly code?: string | number | undefined;
			readonly errors?: ReadonlyArray<Readonly<Record<string, unknown>>> | undefined;
	  }
	| {readonly type: 'too_large'; readonly maxBytes: number}
	/** Rate limit, or a fault with a 4xx reply. `retryAfter` is in seconds. */
	| {readonly type: 'rate_limited'; readonly retryAfter: number}
	/** Rejected mail, or a fault with a 5xx reply. */
	| {readonly type: 'refused'; readonly detail: string; readonly address: string | undefined}
	| {readonly type: 'unverified_sender'; readonly address: string}
	/** The idempotency key belongs to another request. */
	| {readonly type: 'key_reused'}
	/** A request with the same idempotency key is in progress. */
	| {readonly type: 'in_progress'};

/** Maximum length of a text in an answer or a warning, in characters: it may repeat any part of a request. */
export const maxRepeatedText = 1000;

/** Failure of a request to a sending API. Each provider renders it. Long texts are cut. */
export class SendError extends Error {
	readonly failure: SendFailure;
	/** Delay or disconnect of the fault that caused the failure, if any. */
	readonly effect: FaultEffect | null;

	constructor(failure: SendFailure, effect: FaultEffect | null = null) {
		super(`The request failed: ${failure.type}.`);
		this.failure = cutTexts(failure) as SendFailure;
		this.effect = effect;
	}
}

function cutTexts(value: unknown): unknown {
	if (typeof value === 'string') {
		return value.length > maxRepeatedText ? shortCopy(value, maxRepeatedText) : value;
	}

	if (Array.isArray(value)) {
		return value.map(cutTexts);
	}

	return typeof value === 'object' && value !== null
		? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, cutTexts(field)]))
		: value;
}

/** Idempotency record: the response of a request, so that a repeated request is not executed again. */
export type Receipt = {
	/** Identifies the caller and its idempotency key. */
	readonly id: string;
	/** User or address that the receipt counts for. */
	readonly holder: string;
	/** Digest of the request, which detects a reused key. */
	readonly digest: string;
	/** Outcome of each mail of the request. The provider renders the same answer from it again. */
	readonly outcomes: readonly MailOutcome[];
	/** ISO 8601. */
	readonly createdAt: string;
	/** From this time on the key can be used again. */
	readonly expiresAt: string;
};

/** Approximate size in memory and on disk, in bytes. */
export function sizeOfReceipt(receipt: Receipt): number {
	return 500 + Buffer.byteLength(JSON.stringify(receipt));
}

/** Template that a user registered, under the id by which the application refers to it. */
export type Template = {
	readonly userId: string;
	/** Provider whose template language it uses. */
	readonly provider: string;
	readonly id: string;
	/** Texts by name, such as `subject`. */
	readonly parts: Readonly<Record<string, string>>;
	readonly createdAt: string;
};
