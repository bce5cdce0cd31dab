/** The exit codes of tinbox. An interrupted command dies by its signal instead. */
export const exitCodes = {
	ok: 0,
	failed: 1,
	usage: 2,
	noDaemon: 3,
	denied: 4,
	notFound: 5,
	conditionFailed: 6,
	timedOut: 124,
} as const;

/** What each exit code means. */
export const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
	ok: 'success, including an empty list',
	failed: 'any other error',
	usage: 'usage error: unknown command or option, or invalid value',
	noDaemon: 'no daemon is running, or it cannot be reached',
	denied: 'credentials are missing or not sufficient',
	notFound: 'the inbox, message or other object does not exist',
	conditionFailed: 'a condition failed, for example the message has no code',
	timedOut: 'a wait timed out',
};

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

type ExitDetails = {
	/** What to do about it, often a command to type. */
	readonly hint?: string | undefined;
	/** More members of the error object under `--json`. */
	readonly details?: Readonly<Record<string, unknown>>;
};

/** Ends the command: thrown by commands, turned into an exit code by `run` alone. */
export class Exit extends Error {
	override readonly name = 'Exit';
	/** From `exitCodes`, or the exit code of the user's own command. */
	readonly exitCode: number;
	/** Stable, in snake_case; shown under `--json`. */
	readonly code: string;
	readonly hint: string | undefined;
	readonly details: Readonly<Record<string, unknown>>;

	constructor(exitCode: number, code: string, message: string, {hint, details = {}}: ExitDetails = {}) {
		super(message);
		this.exitCode = exitCode;
		this.code = code;
		this.hint = hint;
		this.details = details;
	}
}

/** The error for conflicting arguments, or a value that cannot be used. */
export function usageError(message: string, hint?: string): Exit {
	return new Exit(exitCodes.usage, 'usage', message, {hint});
}

/** The error for a name that nothing has. */
export function notFound(message: string, hint: string): Exit {
	return new Exit(exitCodes.notFound, 'not_found', message, {hint});
}
