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
	readonly stdin: AsyncIterable<Uint8Array> & {readonly isTTY?: boolean};
};

/** Set in the environment of a daemon that is to report to its launcher. */
export const launchedVariable = 'TINBOX_LAUNCHED';

/** What a daemon tells the command that launched it. */
export type LaunchReport =
	| {readonly ready: DaemonState}
	| {readonly error: {readonly code: string; readonly message: string; readonly hint?: string | undefined}};

/** Everything a command may use. What is costly is a function, so that it is made only when called. */
export type Context = {
	readonly io: Io;
	readonly env: NodeJS.ProcessEnv;
	readonly paths: Paths;
	now(): Date;
	/** The local daemon, started when none runs. */
	daemon(): Promise<DaemonState>;
	/** Inboxes, messages and webhooks, with the API key. */
	api(): Promise<Client>;
	/** Teams and keys, with a token of the user. */
	account(): Promise<Client>;
	/** Users, with the operator token. */
	operator(): Promise<Client>;
	/** Set in a daemon that `daemon start` launched. */
	readonly report?: (report: LaunchReport) => Promise<void>;
};
