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
	readonly text: string | undefined;
	readonly html: string | undefined;
	readonly amp: string | undefined;
	readonly attachments: readonly SentAttachment[];
	/** In order, perhaps repeated. Each provider rejects the fields that composing sets itself (Content-*, MIME-Version). */
	readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
	/** With angle brackets. */
	readonly messageId: string;
	/** Undefined for now. */
	readonly date: Date | undefined;
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
	readonly template:
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
};

/** Failures of a request to a sending API that every provider renders in its own way. */
export type SendFailure =
	| {readonly type: 'no_key' | 'wrong_key' | 'unavailable' | 'storage_full' | 'internal' | 'not_found_mail'}
	| {readonly type: 'no_route'; readonly detail: string}
	| {readonly type: 'no_method'; readonly detail: string; readonly allow: string}
	| {readonly type: 'media_type'; readonly types: readonly string[]}
	/** The body is not valid JSON, form data or multipart. */
	| {readonly type: 'malformed'; readonly detail: string}
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

/** Failure of a request to a sending API. Each provider renders it. */
export class Unsent extends Error {
	readonly failure: SendFailure;
	/** Delay or disconnect of the fault that caused the failure, if any. */
	readonly effect: FaultEffect | null;

	constructor(failure: SendFailure, effect: FaultEffect | null = null) {
		super(`The request failed: ${failure.type}.`);
		this.failure = failure;
		this.effect = effect;
	}
}

/** Idempotency record: the response of a request, so that a repeated request is not executed again. */
export type Receipt = {
	/** Identifies the caller and its idempotency key. */
	readonly id: string;
	/** Digest of the request, which detects a reused key. */
	readonly digest: string;
	readonly answer: {
		readonly status: number;
		readonly headers?: Readonly<Record<string, string>>;
		/** JSON value, or text. */
		readonly body: unknown;
	};
	/** ISO 8601. */
	readonly createdAt: string;
	/** From this time on the key can be used again. */
	readonly expiresAt: string;
};

/** Approximate size in memory, in characters. */
export function sizeOfReceipt({digest, answer}: Receipt): number {
	return 500 + digest.length + JSON.stringify(answer).length;
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
