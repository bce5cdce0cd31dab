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
