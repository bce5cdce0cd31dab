import type {Readable} from 'node:stream';
import type {Client} from '../client/index.js';
import type {Paths} from '../runtime/paths.js';
import type {DaemonState} from '../runtime/state-file.js';

export type Output = {
	write(data: string | Uint8Array): unknown;
	readonly isTTY?: boolean;
	/** Width of the terminal. */
	readonly columns?: number;
};

export type Io = {
	readonly stdout: Output;
	readonly stderr: Output;
	readonly stdin: Readable & {readonly isTTY?: boolean};
};

/** Environment variable of a launched daemon, which reports to its launcher. */
export const launchedVariable = 'TINBOX_LAUNCHED';

/** Environment variable with the process, as JSON, whose exit ends the daemon. The daemon then removes its home (`inHomeWhile`). */
export const whileVariable = 'TINBOX_WHILE';

/** Report of a daemon to the command that launched it. */
export type LaunchReport =
	| {readonly ready: DaemonState}
	| {readonly error: {readonly code: string; readonly message: string; readonly hint?: string | undefined}};

/** Daemon and credentials in use. */
export type Access = {
	/** Base URL of the API. */
	readonly url: string;
	/** Null if TINBOX_URL selects the daemon. */
	readonly profile: string | null;
	readonly apiKey: string | null;
	/** Null for the local user, for whom each command creates a short-lived token. */
	readonly token: string | null;
};

export type ClientDeps = {
	/** Mutable: `--profile` changes it for this command and its child processes. */
	readonly env: NodeJS.ProcessEnv;
	readonly paths: Paths;
	/** Returns the local daemon; starts it if it is not running. */
	daemon(): Promise<DaemonState>;
};

/** Clients for the daemon in use, by credentials. */
export type Clients = {
	/** Client for inboxes, messages and webhooks, with the API key. */
	api(): Promise<Client>;
	/** Client for teams and keys, with a user token. */
	account(): Promise<Client>;
	/** Client for users, with the operator token. */
	operator(): Promise<Client>;
	access(): Promise<Access>;
	/** Base URL of a remote daemon; undefined for the local daemon. */
	remoteUrl(): string | undefined;
};

/** Dependencies of all commands. Expensive ones are functions. */
export type Context = ClientDeps &
	Clients & {
		readonly io: Io;
		now(): Date;
		/** Ends the process immediately. */
		exit(): void;
		/** Cleanup functions, called after the command succeeded or failed. */
		readonly atEnd: Array<() => Promise<void>>;
		/** Defined in a daemon launched by `daemon start`. */
		readonly report?: (report: LaunchReport) => Promise<void>;
	};
