import {CommanderError} from 'commander';
import {ApiError, isUntrusted, UnreachableError} from '../../client/errors.js';
import {SettingError} from '../../config/settings-file.js';
import {CertificateError, causeOf, DataDirError, errorCode, StoreError, UnsafePathError} from '../../lib/errors.js';
import {openBareJson} from '../options.js';
import {Exit, type ExitCode, exitCodes} from './exit.js';

/** What the user sees of an error. */
export type Failure = {
	readonly exitCode: number;
	readonly code: string;
	readonly message: string;
	readonly hint?: string | undefined;
	readonly details?: Readonly<Record<string, unknown>>;
};

/** Exit codes by HTTP status; all others are 1. */
const exitCodeOf: Readonly<Record<number, ExitCode>> = {
	400: exitCodes.usage,
	401: exitCodes.denied,
	403: exitCodes.denied,
	404: exitCodes.notFound,
};

/** The one mapping from errors to exit codes. */
export function describeFailure(error: unknown): Failure {
	if (error instanceof Exit) {
		return error;
	}

	if (error instanceof ApiError) {
		const {status, code, detail, errors} = error;
		return {
			exitCode: exitCodeOf[status] ?? exitCodes.failed,
			code,
			message: detail,
			hint: status === 401 ? 'Check TINBOX_API_KEY and TINBOX_TOKEN, or log in again: tinbox login' : undefined,
			details: {status, ...(errors.length > 0 && {errors})},
		};
	}

	if (error instanceof UnreachableError) {
		const hint = isUntrusted(error)
			? 'Save the output of "tinbox tls ca" from that machine to a file, and set NODE_EXTRA_CA_CERTS=<file>.'
			: 'Check the daemon: tinbox daemon status';
		return {exitCode: exitCodes.noDaemon, code: 'no_daemon', message: error.message, hint};
	}

	if (error instanceof SettingError) {
		return {exitCode: exitCodes.usage, code: 'usage', message: error.message};
	}

	if (error instanceof DataDirError) {
		return {exitCode: exitCodes.failed, code: 'data_dir', message: error.message};
	}

	if (error instanceof StoreError) {
		return {exitCode: exitCodes.failed, code: 'store', message: error.message};
	}

	if (error instanceof CertificateError) {
		return {exitCode: exitCodes.failed, code: 'certificate', message: error.message};
	}

	if (error instanceof UnsafePathError) {
		return {exitCode: exitCodes.failed, code: 'unsafe_path', message: error.message};
	}

	if (error instanceof CommanderError) {
		return {
			exitCode: exitCodes.usage,
			code: 'usage',
			message: usageMessage(openBareJson(error.message.replace(/^error: /, ''))),
		};
	}

	if (error instanceof Error && 'syscall' in error) {
		return {exitCode: exitCodes.failed, code: 'system', message: explainSystemError(error)};
	}

	return {
		exitCode: exitCodes.failed,
		code: 'internal',
		message: `Unexpected error: ${isOfEngine(error) ? `${error.name} in tinbox. This is a bug.` : causeOf(error)}`,
		hint: 'Set TINBOX_DEBUG=1 to print the stack trace.',
	};
}

/** Messages of commander with the wording of all other errors. */
const usageMessages: ReadonlyArray<readonly [RegExp, string]> = [
	[
		/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. Allowed choices are (.*)$/s,
		'Invalid $1 "$2". Supported: $3',
	],
	[/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\./s, 'Invalid $1 "$2".'],
	[
		/^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)$/s,
		'Invalid <$2> "$1". Supported: $3',
	],
	[/^command-argument value '(.*)' is invalid for argument '(.*)'\./s, 'Invalid <$2> "$1".'],
	[/^option '(.*)' argument missing$/, 'Missing value of $1.'],
	[/^required option '(.*)' not specified$/, 'Missing option $1.'],
	[/^missing required argument '(.*)'$/, 'Missing argument <$1>.'],
	[/^unknown (option|command) '(.*?)'\n\(Did you mean (.*)\?\)$/s, 'Unknown $1 "$2". Did you mean $3?'],
	[/^unknown (option|command) '(.*)'$/s, 'Unknown $1 "$2".'],
	[
		/^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)\.$/,
		'Too many arguments for "$1": expected $2, got $3.',
	],
];

function usageMessage(message: string): string {
	const [pattern, replacement] = usageMessages.find(([pattern]) => pattern.test(message)) ?? [];
	return pattern && replacement ? message.replace(pattern, replacement) : message;
}

/** Whether it is an error whose words are those of the JavaScript engine, about our code. */
function isOfEngine(error: unknown): error is Error {
	const isNative = [TypeError, RangeError, ReferenceError, SyntaxError].some(kind => error instanceof kind);
	return isNative && errorCode(error) === undefined;
}

const sentences: Readonly<Record<string, (path: string) => string>> = {
	ENOENT: path => `No such file or directory: ${path}`,
	EACCES: path => `Permission denied: ${path}`,
	EPERM: path => `Operation not permitted: ${path}`,
	EISDIR: path => `Is a directory: ${path}`,
	ENOTDIR: path => `Not a directory: ${path}`,
	EEXIST: path => `File exists: ${path}`,
	ENAMETOOLONG: path => `File name too long: ${path}`,
	ELOOP: path => `Too many symbolic links: ${path}`,
	EROFS: path => `Read-only file system: ${path}`,
	ENOSPC: path => `No space left on device: ${path}`,
	EMFILE: path => `Too many open files: ${path}`,
};

/** Describes an error of the operating system; by its code if the table has no sentence. */
function explainSystemError(error: Error): string {
	const {code = '', path, syscall}: NodeJS.ErrnoException = error;
	const sentence = path === undefined ? undefined : sentences[code]?.(path);
	return sentence ?? `System call "${syscall}" failed${path === undefined ? '' : ` for ${path}`}: ${code}.`;
}
