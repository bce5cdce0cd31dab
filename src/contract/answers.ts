/** `GET /v1/health`, which needs no credentials. */
export type HealthBody = {
	/** `degraded` while what keeps the mail is away: the daemon lives, but reads and writes fail. */
	readonly status: 'ok' | 'degraded';
	readonly version: string;
	/** Where mail is taken, while it is; only for a caller with an API key or a token. */
	readonly smtp?: {readonly host: string; readonly port: number};
};

/** `GET /v1/ready`, while requests and mail can be served; else it is a problem with status 503. */
export type ReadyBody = {readonly status: 'ready'; readonly version: string};

/** `GET /v1/daemon`. */
export type DaemonBody = {
	readonly version: string;
	/** Of the addresses that new inboxes get. */
	readonly domain: string;
	readonly smtp: {
		readonly host: string;
		readonly port: number;
		/** Who may send besides who logs in as an inbox: everybody, nobody, or who has this login. */
		readonly auth_mode: 'any' | 'inbox' | 'login';
		readonly auth: {readonly user: string; readonly password: string} | null;
		/** Logins are taken under TLS only. */
		readonly auth_needs_tls: boolean;
	};
	readonly tls: TlsBody;
};

/** Where a daemon speaks TLS. */
export type TlsBody = {
	/** For mail on the port that begins in the clear: never, by STARTTLS, or not without it. */
	readonly mode: 'off' | 'offer' | 'require';
	/** Where mail is taken that begins with TLS. */
	readonly smtps: {readonly host: string; readonly port: number} | null;
	/** The base address of the API over TLS; ends in `/v1`. */
	readonly https_url: string | null;
	/** The certificate of the authority that vouches for the daemon, PEM. */
	readonly ca: string | null;
};

/** What a delete answers where it has a body. */
export type DoneBody = {readonly message: string};

/** The body of every error: RFC 9457, `application/problem+json`. */
export type ProblemBody = {
	readonly title: string;
	readonly status: number;
	readonly detail: string;
	/** Stable, in snake_case; what programs compare. */
	readonly code: string;
	/** For a 400: each wrong field. */
	readonly errors?: ReadonlyArray<{readonly field: string; readonly message: string}>;
};

export const problemType = 'application/problem+json';

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** The names of an answer's fields, as `--json` offers them: the compiler takes a text only if it has all and no others. */
export function fieldsOf<Body>() {
	return <Text extends string>(
		names: Exclude<keyof Body, Words<Text>> | Exclude<Words<Text>, keyof Body> extends never ? Text : never,
	): readonly string[] => names.split(' ');
}
