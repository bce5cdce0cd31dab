/** Response of `GET /v1/health`, which needs no credentials. */
export type HealthBody = {
	/** `degraded` while the store is unavailable: the daemon runs, but reads and writes fail. */
	readonly status: 'ok' | 'degraded';
	readonly version: string;
	/** Address of the SMTP listener; only if it accepts mail and the request has an API key or a token. */
	readonly smtp?: {readonly host: string; readonly port: number};
};

/** Response of `GET /v1/ready` while the daemon can serve requests and accept mail; otherwise a problem with status 503. */
export type ReadyBody = {readonly status: 'ready'; readonly version: string};

/** Response of `GET /v1/daemon`. */
export type DaemonBody = {
	readonly version: string;
	/** Domain of generated inbox addresses. */
	readonly domain: string;
	readonly smtp: {
		readonly host: string;
		readonly port: number;
		/** SMTP authentication besides logins of inboxes: everybody (`any`), nobody (`inbox`), or the configured `auth` (`login`). */
		readonly auth_mode: 'any' | 'inbox' | 'login';
		/** Configured login; null unless `auth_mode` is `login`. */
		readonly auth: {readonly user: string; readonly password: string} | null;
		/** True if SMTP logins require TLS. */
		readonly auth_needs_tls: boolean;
	};
	readonly tls: TlsBody;
};

/** TLS settings of a daemon. */
export type TlsBody = {
	/** STARTTLS on the SMTP port: not offered, offered or required. */
	readonly mode: 'off' | 'offer' | 'require';
	/** Address of the SMTPS listener (implicit TLS); null if there is none. */
	readonly smtps: {readonly host: string; readonly port: number} | null;
	/** Base address of the API over TLS, ending in `/v1`; null if there is none. */
	readonly https_url: string | null;
	/** CA certificate of the daemon as PEM; null if there is none. */
	readonly ca: string | null;
};

/** Confirmation in a response that has no other content. */
export type DoneBody = {
	/** Sentence for people. */
	readonly message: string;
};

/** Body of every error: `application/problem+json` (RFC 9457). */
export type ProblemBody = {
	/** Reason phrase of the status. */
	readonly title: string;
	/** HTTP status. */
	readonly status: number;
	/** Sentence for people: what is wrong and what to do. */
	readonly detail: string;
	/** Stable error code in snake_case, for programs. */
	readonly code: string;
	/** Invalid fields of a 400. */
	readonly errors?: ReadonlyArray<{readonly field: string; readonly message: string}>;
};

export const problemType = 'application/problem+json';

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** Names of the fields of a body, as `--json` offers them. The compiler accepts only a text with exactly these names. */
export function fieldsOf<Body>() {
	return <Text extends string>(
		names: Exclude<keyof Body, Words<Text>> | Exclude<Words<Text>, keyof Body> extends never ? Text : never,
	): readonly string[] => names.split(' ');
}
