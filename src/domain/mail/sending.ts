import type {FaultEffect} from '../faults/fault.js';

/** A mailbox as a sending API gives it; `name` is `''` for none. */
export type NamedAddress = {readonly name: string; readonly address: string};

export type SentAttachment = {
	readonly filename: string;
	readonly content: Buffer;
	/** `''` where the request does not say: by the file name. */
	readonly contentType: string;
	/** Without angle brackets; `''` for none. Inline where it has one, unless it says otherwise. */
	readonly contentId: string;
	readonly disposition: 'attachment' | 'inline';
};

/** What a mail is composed of. */
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
	/** In their order; may name one twice. Those that compose sets itself (Content-*, MIME-Version) are refused by the provider as it does. */
	readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
	/** With angle brackets. */
	readonly messageId: string;
	/** Undefined: now. */
	readonly date: Date | undefined;
};

/** One mail that a request to a sending API asks for. */
export type SentMail = {
	/** Whom the envelope names; bcc is here alone. `from` without a name. */
	readonly envelope: {readonly from: string; readonly to: readonly string[]};
	/** The mail itself: what to compose, or as it is. */
	readonly content: ComposedContent | {readonly raw: Buffer};
	readonly tags: ReadonlyArray<{readonly name: string | null; readonly value: string}>;
	/** Custom arguments, metadata, variables. */
	readonly metadata: Readonly<Record<string, string>>;
	/** To be filled in before it is composed; undefined for none. */
	readonly template:
		| {
				readonly id: string;
				readonly data: Readonly<Record<string, unknown>>;
				/** Set where it was filled in. */
				readonly isRegistered?: boolean;
		  }
		| undefined;
	/** What of the request was not understood or is not done here, in sentences that name the field. */
	readonly warnings: readonly string[];
	/** The id that the provider's answer gives this mail. */
	readonly id: string;
};

/** Ways in which a request to a sending API fails that are not the provider's own reading. */
export type SendFailure =
	| {readonly type: 'no_key' | 'wrong_key' | 'unavailable' | 'storage_full' | 'internal' | 'not_found_mail'}
	/** Names the routes. */
	| {readonly type: 'no_route'; readonly detail: string}
	/** Names the methods that the path takes. */
	| {readonly type: 'no_method'; readonly detail: string; readonly allow: string}
	| {readonly type: 'media_type'; readonly types: readonly string[]}
	/** No JSON, form or multipart. */
	| {readonly type: 'malformed'; readonly detail: string}
	| {readonly type: 'too_large'; readonly maxBytes: number}
	/** Seconds; also a fault with a 4xx reply. */
	| {readonly type: 'rate_limited'; readonly retryAfter: number}
	/** Also a fault with a 5xx reply. */
	| {readonly type: 'refused'; readonly detail: string; readonly address: string | undefined}
	| {readonly type: 'unverified_sender'; readonly address: string}
	/** The idempotency key came with another request. */
	| {readonly type: 'key_reused'}
	/** The same key is under way. */
	| {readonly type: 'in_progress'};

/** Thrown where a request to a sending API fails: each provider has its own answer to that. */
export class Unsent extends Error {
	readonly failure: SendFailure;
	/** Where a fault has it fail: what else that does. */
	readonly effect: FaultEffect | null;

	constructor(failure: SendFailure, effect: FaultEffect | null = null) {
		super(`The request failed: ${failure.type}.`);
		this.failure = failure;
		this.effect = effect;
	}
}

/** That a request was answered, and how: the same request is not done twice. */
export type Receipt = {
	/** Tells who asked by which key that was to make it happen once. */
	readonly id: string;
	/** Of what was asked for. */
	readonly digest: string;
	readonly answer: {
		readonly status: number;
		readonly headers?: Readonly<Record<string, string>>;
		/** JSON, or a text as it is. */
		readonly body: unknown;
	};
	/** ISO 8601, as all times. */
	readonly createdAt: string;
	/** From then on the same request is another one. */
	readonly expiresAt: string;
};

/** How many characters it takes in memory, about. */
export function sizeOfReceipt({digest, answer}: Receipt): number {
	return 500 + digest.length + JSON.stringify(answer).length;
}

/** What a user registered to be filled in, by the id that the application names it by. */
export type Template = {
	readonly userId: string;
	/** Whose form it has. */
	readonly provider: string;
	readonly id: string;
	/** Its texts by what they are for, such as `subject`. */
	readonly parts: Readonly<Record<string, string>>;
	readonly createdAt: string;
};
