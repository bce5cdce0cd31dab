import type {SendProvider} from '../contract/constants.js';
import {type MailOutcome, SendError, type SendFailure, type SentMail} from '../domain/mail/sending.js';

export type {
	ComposedContent,
	MailOutcome,
	NamedAddress,
	SendFailure,
	SentAttachment,
	SentMail,
} from '../domain/mail/sending.js';

/** Request to a route of a provider. */
export type SendRequest = {
	readonly method: string;
	/** Path below `/send/<provider>`. */
	readonly path: string;
	/** Values of the parameters in the path of the route, such as `:domain`. */
	readonly params: Readonly<Record<string, string>>;
	readonly query: URLSearchParams;
	/** Headers by lower-case name. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer;
	/** Time of the request. */
	readonly now: Date;
};

/** HTTP response of a provider. */
export type Answer = {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	/** JSON value, or a string that is sent unchanged (XML). */
	readonly body: unknown;
};

/** A mail that a rule of the provider rejects, in place of the mail. */
export type RejectedMail = {readonly failure: SendFailure};

/** Reads one mail of several; a `SendError` rejects only this mail. */
export function readOrReject(read: () => SentMail): SentMail | RejectedMail {
	try {
		return read();
	} catch (error) {
		if (error instanceof SendError) {
			return {failure: error.failure};
		}

		throw error;
	}
}

export type ReadMails = ReadonlyArray<SentMail | RejectedMail>;

/** Route for sending mail. */
export type SendRoute = {
	readonly method: 'GET' | 'POST' | 'PUT';
	/** Path below `/send/<provider>` in the syntax of Koa's router: `/emails/:id`. `:domain` is the sending domain. */
	readonly path: string;
	/** Accepted media types; others are answered with 415. Undefined for routes without a body. */
	readonly types?: readonly string[];
	/**
	 * Reads the requested mails: a pure function of the request, which may run in a worker thread. Throws `SendError`. With
	 * `allowsPartialSuccess`, it can return rejected mails instead.
	 */
	read(request: SendRequest): ReadMails | Promise<ReadMails>;
	/**
	 * Renders the answer once all mails are on disk. `outcomes` has one entry per mail, in the order of `read`. A repeated request
	 * with the same idempotency key is answered from the stored outcomes.
	 */
	answer(outcomes: readonly MailOutcome[], request: SendRequest): Answer;
	/** True if mails are sent independently of rejected ones; otherwise all mails are sent or none. */
	readonly allowsPartialSuccess?: boolean;
};

/** Mail that was sent before. Mailboxes have the format of a header. */
export type FoundMail = {
	readonly id: string;
	readonly messageId: string;
	/** ISO 8601. */
	readonly createdAt: string;
	readonly from: string;
	readonly to: readonly string[];
	readonly cc: readonly string[];
	readonly bcc: readonly string[];
	readonly replyTo: readonly string[];
	readonly subject: string;
	readonly html: string | null;
	readonly text: string | null;
	readonly tags: SentMail['tags'];
};

/** Route that returns a mail by the id from an earlier answer: `GET`. */
export type ShowRoute = {
	readonly path: string;
	idOf(request: SendRequest): string;
	show(mail: FoundMail, request: SendRequest): Answer;
};

/** Answer, or problem of the provider, for each type of failure. */
export type FailureAnswers<Result, Request = unknown> = {
	readonly [Type in SendFailure['type']]: (failure: SendFailure & {readonly type: Type}, request: Request) => Result;
};

/** Looks up the answer to a failure. */
export function answerFailure<Result, Request>(
	answers: FailureAnswers<Result, Request>,
	failure: SendFailure,
	request: Request,
): Result {
	const answer = answers[failure.type] as (failure: SendFailure, request: Request) => Result;
	return answer(failure, request);
}

/** Emulated sending API: reads mails from requests and renders outcomes and failures. It does not know where mail is stored. */
export interface Provider {
	readonly name: SendProvider;
	/** Maximum size of a request body, as the provider documents it. */
	readonly maxBytes: number;
	readonly routes: readonly SendRoute[];
	readonly shows?: readonly ShowRoute[];
	/** API key of the request; undefined if missing. For SES the access key id of the signature. */
	keyOf(request: Pick<SendRequest, 'headers' | 'query'>): string | undefined;
	/** Idempotency key of the request; undefined if missing. */
	idempotencyKeyOf?(request: Pick<SendRequest, 'headers'>): string | undefined;
	/** Renders a failure. The request is needed as SES has two protocols. */
	problem(failure: SendFailure, request: Pick<SendRequest, 'path' | 'headers' | 'query'>): Answer;
}

/** Key in an `Authorization: Basic` header (RFC 7617): the password of `user`, or else `user:password`; undefined if missing. */
export function basicCredentials(authorization: string, user: string): string | undefined {
	const [, encoded = ''] = /^Basic\s+([A-Za-z\d+/]+={0,2})\s*$/i.exec(authorization) ?? [];
	const credentials = Buffer.from(encoded, 'base64').toString();
	const key = credentials.startsWith(`${user}:`) ? credentials.slice(user.length + 1) : credentials;
	return key === '' || key === ':' ? undefined : key;
}
