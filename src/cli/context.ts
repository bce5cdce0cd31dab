import type {Readable} from 'node:stream';
import type {Client} from '../client/index.js';
import type {Paths} from '../runtime/paths.js';
import type {DaemonState} from '../runtime/state-file.js';

/** The part of a stream that output needs. */
export type Output = {
	write(data: string | Uint8Array): unknown;
	readonly isTTY?: boolean;
	/** Characters of a line, on a terminal. */
	readonly columns?: number;
};

export type Io = {
	readonly stdout: Output;
	readonly stderr: Output;
	readonly stdin: Readable & {readonly isTTY?: boolean};
};

/** Set in the environment of a daemon that must report to its launcher. */
export const launchedVariable = 'TINBOX_LAUNCHED';

/** Set in the environment of a daemon that ends with another process: names that as JSON. The daemon removes their home (`inHomeWhile`). */
export const whileVariable = 'TINBOX_WHILE';

/** What a daemon tells the command that launched it. */
export type LaunchReport =
	| {readonly ready: DaemonState}
	| {readonly error: {readonly code: string; readonly message: string; readonly hint?: string | undefined}};

/** Which daemon the commands talk to, and the credentials they use. */
export type Access = {
	/** Base address of the API. */
	readonly url: string;
	/** Null when TINBOX_URL names the daemon. */
	readonly profile: string | null;
	/** Null when there is none. */
	readonly apiKey: string | null;
	/** Null when there is none; for the local user one is made for each command that needs it. */
	readonly token: string | null;
};

/** What connections are made of. */
export type ConnectionDeps = {
	/** `--profile` changes it, for this command and whatever it starts. */
	readonly env: NodeJS.ProcessEnv;
	readonly paths: Paths;
	/** The local daemon, started when none runs. */
	daemon(): Promise<DaemonState>;
};

/** How commands reach a daemon, and as whom. */
export type Connections = {
	/** Inboxes, messages and webhooks, with the API key. */
	api(): Promise<Client>;
	/** Teams and keys, with a token of the user. */
	account(): Promise<Client>;
	/** Users, with the operator token. */
	operator(): Promise<Client>;
	access(): Promise<Access>;
	/** Base address of a daemon elsewhere, which is never started; undefined when it is the one of this machine. */
	remoteUrl(): string | undefined;
};

/** Everything a command may use. What is costly is a function, so that it is made only when called. */
export type Context = ConnectionDeps &
	Connections & {
		readonly io: Io;
		now(): Date;
		/** Ends the process, whatever is under way. */
		exit(): void;
		/** What is to be done when the command has ended, whatever came of it. */
		readonly atEnd: Array<() => Promise<void>>;
		/** Set in a daemon that `daemon start` launched. */
		readonly report?: (report: LaunchReport) => Promise<void>;
	};
