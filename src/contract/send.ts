/** Whose APIs for sending mail are taken here, and our own. */
export const sendProviders = ['resend', 'ses', 'sendgrid', 'postmark', 'mailgun', 'tinbox'] as const;

export type SendProvider = (typeof sendProviders)[number];

/** What a mail is to be, for `POST /v1/send`. An address is `ann@example.com` or `Ann <ann@example.com>`. */
export type MailToSend = {
	readonly from: string;
	readonly to?: string | readonly string[] | undefined;
	readonly cc?: string | readonly string[] | undefined;
	/** In the envelope only. */
	readonly bcc?: string | readonly string[] | undefined;
	readonly reply_to?: string | readonly string[] | undefined;
	readonly subject?: string | undefined;
	readonly text?: string | undefined;
	readonly html?: string | undefined;
	readonly attachments?: readonly AttachmentToSend[] | undefined;
	/** By name. */
	readonly headers?: Readonly<Record<string, string>> | undefined;
	readonly tags?: readonly string[] | undefined;
	readonly metadata?: Readonly<Record<string, string>> | undefined;
	/** Fills in subject and bodies, where they are not given. */
	readonly template?: {readonly id: string; readonly data?: Readonly<Record<string, unknown>> | undefined} | undefined;
};

export type AttachmentToSend = {
	readonly filename: string;
	/** In base64. */
	readonly content: string;
	/** By the name of the file unless given. */
	readonly content_type?: string | undefined;
	/** With one it is a part of the HTML, which names it as `cid:`. */
	readonly content_id?: string | undefined;
};

/** The answer to it. */
export type SendMailBody = {
	readonly id: string;
	/** The messages that the mail is kept as; none where no recipient is anybody's. */
	readonly message_ids: readonly string[];
};
