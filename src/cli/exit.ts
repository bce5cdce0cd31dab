/** How a command can end. An interrupted one dies by its signal instead. */
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

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export type ExitDetails = {
	/** What to do about it, as a line or more to type. */
	readonly hint?: string | undefined;
	/** More members of the error object under `--json`. */
	readonly details?: Readonly<Record<string, unknown>>;
};

/** Ends the command: thrown by commands, handled by `run` alone. */
export class Exit extends Error {
	override readonly name = 'Exit';
	readonly exitCode: ExitCode;
	/** Stable, in snake_case; shown under `--json`. */
	readonly code: string;
	readonly hint: string | undefined;
	readonly details: Readonly<Record<string, unknown>>;

	constructor(exitCode: ExitCode, code: string, message: string, {hint, details = {}}: ExitDetails = {}) {
		super(message);
		this.exitCode = exitCode;
		this.code = code;
		this.hint = hint;
		this.details = details;
	}
}

/** The error for arguments that fit together badly. */
export function usageError(message: string, hint?: string): Exit {
	return new Exit(exitCodes.usage, 'usage', message, {hint});
}
