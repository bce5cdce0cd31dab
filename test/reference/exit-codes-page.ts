import {sysexits} from '../../src/cli/commands/run-sendmail.js';
import {exitCodes, exitMeanings} from '../../src/cli/output/exit.js';
import {describeFailure} from '../../src/cli/output/failure.js';
import {ApiError} from '../../src/client/errors.js';
import {type ProblemCode, statusOf} from '../../src/http/server/problems.js';
import {code, generated, page, prose, sentence, table} from './markdown.js';

const problemMeanings: Readonly<Record<ProblemCode, string>> = {
	invalid_input: 'A parameter or a body field is wrong. `errors` lists each wrong field.',
	invalid_invite: 'The invite is unknown, expired or used.',
	owner_required: 'The owner of a team cannot be removed.',
	ambiguous: 'The short form of an id matches several messages.',
	malformed: 'The request is not valid HTTP/1.1.',
	unauthorized: 'Credentials are missing or wrong. `WWW-Authenticate` names the ones to send.',
	forbidden: 'These credentials do not allow the operation.',
	plan_limit: 'The plan of the user allows no more of these.',
	foreign_origin: 'A web page of another site sent the request.',
	not_found: 'The object does not exist, or the caller cannot see it.',
	method_not_allowed: 'The path does not have this method. `Allow` lists the ones it has.',
	timed_out: 'The request took too long to arrive.',
	address_taken: 'Another inbox has this address.',
	email_taken: 'Another user has this email address.',
	already_member: 'The user is a member of the team.',
	invite_open: 'The user has an open invite to the team.',
	too_many_faults: 'The inbox, or the daemon, has as many faults as it can have.',
	no_bounce:
		'No reply is allowed: the sender is `<>`, `NOTIFY` excludes it, or the mail is automatic or from a mailing list.',
	key_reused: 'The `Idempotency-Key` was already used for a different request.',
	in_progress: 'A request with the same `Idempotency-Key` is in progress.',
	too_large: 'The body, or the mail, is too large.',
	unsupported_media_type: 'The body has another media type than the operation takes.',
	expectation_failed: 'The header `Expect` has a value other than `100-continue`.',
	foreign_host: 'The header `Host` is not a name of this daemon. See `--host-names`.',
	undelivered: 'The mail server in `to` did not take the message. `detail` has its reply.',
	rate_limited: 'Too many requests of this kind. `Retry-After` says when to try again.',
	limit_reached: 'A [limit](limits.md) is reached. `detail` names the setting.',
	header_too_large: 'The header of the request is larger than 16 KiB.',
	internal: 'A bug in tinbox. The log of the daemon has the details.',
	stopping: 'The daemon is stopping. Try again.',
	unavailable: 'The database cannot be reached. Try again.',
	storage_full: 'The disk is full.',
};

const sendmailMeanings: Readonly<Record<keyof typeof sysexits, string>> = {
	ok: 'The mail was sent.',
	usage: 'Wrong usage.',
	data: 'The mail has no recipient, or one that is not an address.',
	noUser: 'No inbox takes mail for a recipient.',
	unavailable: 'The mail was rejected.',
	later: 'The mail was rejected temporarily, or no daemon runs. Try again.',
	denied: 'The login is missing or wrong.',
	settings: '`TINBOX_INBOX` or a setting is wrong.',
};

/** Codes that only the command line uses. */
const cliCodes: ReadonlyArray<readonly [code: string, exitCode: number, meaning: string]> = [
	['usage', exitCodes.usage, 'Wrong usage.'],
	['no_daemon', exitCodes.noDaemon, 'No daemon runs, or it cannot be reached.'],
	['timeout', exitCodes.timedOut, 'A wait timed out.'],
	['not_in_message', exitCodes.conditionFailed, 'The message lacks the requested field.'],
	['unwelcome_message', exitCodes.conditionFailed, 'A message arrived in spite of `--absent`.'],
	['not_delivered', exitCodes.conditionFailed, 'The receiver of a webhook did not answer with a 2xx status.'],
	['wrong_signature', exitCodes.conditionFailed, 'The signature of a webhook does not match.'],
	['port_taken', exitCodes.failed, 'Another program listens on the port.'],
	['already_running', exitCodes.failed, 'A daemon runs, with other settings.'],
	['refused', exitCodes.failed, 'The SMTP server rejected the mail.'],
	['disk_full', exitCodes.failed, 'The disk is full.'],
];

/** The page about exit codes and error codes. */
export function exitCodesPage(): string {
	const exitNames = Object.keys(exitCodes) as ReadonlyArray<keyof typeof exitCodes>;
	const sysexitNames = Object.keys(sysexits) as ReadonlyArray<keyof typeof sysexits>;
	const problems = Object.entries(statusOf) as ReadonlyArray<[ProblemCode, number]>;
	return page([
		'# Exit codes and error codes',
		generated,
		'## Exit codes',
		table(
			['Code', 'Meaning'],
			exitNames.map(name => [code(String(exitCodes[name])), prose(sentence(exitMeanings[name]))]),
		),
		`- An interrupted command exits by its signal, so that a shell loop around it stops too.
- \`tinbox run\` exits with the code of its command: ${code('127')} if the command is not found, ${code('126')} if it cannot be executed.
- \`tinbox sendmail\` has [separate codes](#exit-codes-of-tinbox-sendmail).`,
		'## Error codes of the HTTP API',
		'The field `code` of an [error](http-api.md#errors). The command line shows the same code with `--json`, and exits with the code in the third column.',
		table(
			['Error code', 'Status', 'Exit code', 'Meaning'],
			problems.map(([name, status]) => [
				code(name),
				String(status),
				String(describeFailure(new ApiError({status, code: name, detail: ''})).exitCode),
				problemMeanings[name],
			]),
		),
		'## Error codes of the command line',
		'With `--json`, an error is one JSON object on stderr: `{"error": {"code", "message", "hint"}}`. Besides the codes above it can have these:',
		table(
			['Error code', 'Exit code', 'Meaning'],
			cliCodes.map(([name, exitCode, meaning]) => [code(name), String(exitCode), meaning]),
		),
		'## Exit codes of tinbox sendmail',
		'Codes of `<sysexits.h>`, which programs that call sendmail expect:',
		table(
			['Code', 'Meaning'],
			sysexitNames.map(name => [code(String(sysexits[name])), sendmailMeanings[name]]),
		),
	]);
}
