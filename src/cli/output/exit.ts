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

/** Descriptions of the exit codes. */
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
	/** Next step for the user, often a command. */
	readonly hint?: string | undefined;
	/** Additional members of the error object with `--json`. */
	readonly details?: Readonly<Record<string, unknown>>;
};

/** Error with an exit code. Commands throw it; `run` converts it. */
export class Exit extends Error {
	override readonly name = 'Exit';
	/** One of `exitCodes`, or the exit code of the user's command. */
	readonly exitCode: number;
	/** Stable identifier in snake_case, printed with `--json`. */
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

/** Error for conflicting arguments or an invalid value. */
export function usageError(message: string, hint?: string): Exit {
	return new Exit(exitCodes.usage, 'usage', message, {hint});
}

/** Error for a name that does not exist. */
export function notFound(message: string, hint: string): Exit {
	return new Exit(exitCodes.notFound, 'not_found', message, {hint});
}
