import type {RefusalStage} from './constants.js';

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

/** Daemon process; several nodes can share a store. */
export type NodeBody = {
	readonly id: string;
	/** Host name of the node. */
	readonly name: string;
	readonly version: string;
	/** Host and port of the HTTP listener. */
	readonly address: string;
	/** Time when the node started (ISO 8601). */
	readonly since: string;
	/** Time of the last heartbeat (ISO 8601). */
	readonly heartbeat_at: string;
	/** Number of open long polls and event streams. */
	readonly waits: number;
	/** Number of open SMTP connections. */
	readonly sessions: number;
	/** `lost` after 10 s without a heartbeat; a lost node is removed after an hour. */
	readonly state: 'up' | 'lost';
};

/** Response of `GET /v1/nodes`: the oldest node first. */
export type NodeListBody = {readonly nodes: readonly NodeBody[]};

/** Refused or failed mail; a mail to several recipients has one refusal for each recipient concerned. */
export type RefusalBody = {
	/** Time of the refusal (ISO 8601). */
	readonly time: string;
	readonly client: {
		/** Address of the client. */
		readonly host: string;
		/** Name that the client gave in HELO or EHLO; null before it gave one. */
		readonly helo: string | null;
	};
	readonly stage: RefusalStage;
	/** Recipient; at `mail` the sender, at `auth` the inbox of the attempted login; null if none is known. */
	readonly address: string | null;
	/** SMTP reply sent; null if the client disconnected first. */
	readonly reply: string | null;
	/** Reason in words, to follow `RCPT <a@b.test>:`. */
	readonly reason: string;
};

/** Refused mail, the newest first. */
export type RefusalListBody = {readonly refusals: readonly RefusalBody[]};
