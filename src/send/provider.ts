import type {SendProvider} from '../contract/constants.js';
import type {SendFailure, SentMail} from '../domain/mail/sending.js';

export type {ComposedContent, NamedAddress, SendFailure, SentAttachment, SentMail} from '../domain/mail/sending.js';

/** What a route of a provider gets to read. */
export type SendRequest = {
	readonly method: string;
	/** Below `/send/<provider>`. */
	readonly path: string;
	/** What `:name` stands for in the path of the route. */
	readonly params: Readonly<Record<string, string>>;
	readonly query: URLSearchParams;
	/** By their lower-case names. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer;
	/** When it came. */
	readonly now: Date;
};

/** What a provider answers. */
export type Answer = {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	/** JSON, or a text as it is (XML). */
	readonly body: unknown;
};

/** An answer that is a refusal, thrown by `read`. */
export class SendError extends Error {
	readonly answer: Answer;

	constructor(answer: Answer) {
		super(`The request failed with status ${answer.status}.`);
		this.answer = answer;
	}
}

/** What became of one of those that `read` gave: a mail, with the messages that it is kept as (none where no recipient is anybody's), or why it was not sent. */
export type Outcome = {readonly mail: SentMail; readonly messageIds: readonly string[]} | {readonly answer: Answer};

export type SendRoute = {
	readonly method: 'GET' | 'POST' | 'PUT';
	/** As Koa's router reads it, below `/send/<provider>`: `/emails/:id`. `:domain` is the one that sends. */
	readonly path: string;
	/** Media types that are taken: others are 415. Undefined for routes without a body. */
	readonly types?: readonly string[];
	/**
	 * The mails that are asked for; throws SendError. May be asked in a worker thread: a pure function of the request. With
	 * `isEachAlone`, an answer stands in the place of a mail that is refused by itself.
	 */
	read(request: SendRequest): ReadMails | Promise<ReadMails>;
	/** What to say once all of them are on disk. Recipients whom nobody takes are told all the same. `outcomes` are of all that `read` gave, in its order. */
	answer(mails: readonly SentMail[], request: SendRequest, outcomes: readonly Outcome[]): Answer;
	/** One mail refused (by `read`, a fault, an unverified sender) does not keep the others from being sent, and `answer` is asked for those; false: all or nothing. */
	readonly isEachAlone?: boolean;
};

/** A mail that was sent before, as it is kept. Mailboxes are as in a header. */
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

/** A route that tells of a mail by the id that an answer gave it: `GET`. */
export type ShowRoute = {
	readonly path: string;
	idOf(request: SendRequest): string;
	show(mail: FoundMail, request: SendRequest): Answer;
};

type ReadMails = ReadonlyArray<SentMail | Answer>;

/** An API for sending mail: it turns requests into mails, and says what becomes of them in its own words. It knows nothing of where mail goes. */
export interface Provider {
	readonly name: SendProvider;
	/** Bytes of a request's body at most, as the provider documents it. */
	readonly maxBytes: number;
	readonly routes: readonly SendRoute[];
	readonly shows?: readonly ShowRoute[];
	/** The API key that the request carries; undefined for none. For SES the access key id of the signature. */
	keyOf(request: Pick<SendRequest, 'headers' | 'query'>): string | undefined;
	/** The key under which the same request is to be done once; undefined for none. */
	idempotencyKeyOf?(request: Pick<SendRequest, 'headers'>): string | undefined;
	/** As the provider says it: status, body, headers; by the request, since SES has two protocols. */
	problem(failure: SendFailure, request: Pick<SendRequest, 'path' | 'headers' | 'query'>): Answer;
}

/**
 * The key that an `Authorization: Basic` header carries (RFC 7617): the password where the user is the one whom the provider
 * names, else `user:password`. Undefined where it carries none.
 */
export function basicCredentials(authorization: string, user: string): string | undefined {
	const [, encoded = ''] = /^Basic\s+([A-Za-z\d+/]+={0,2})\s*$/i.exec(authorization) ?? [];
	const credentials = Buffer.from(encoded, 'base64').toString();
	const key = credentials.startsWith(`${user}:`) ? credentials.slice(user.length + 1) : credentials;
	return key === '' || key === ':' ? undefined : key;
}
