import {Exit, exitCodes} from '../../output/exit.js';
import {describeFailure} from '../../output/failure.js';

/** The exit codes of sendmail, which those who call it know: those of `<sysexits.h>`. */
export const sysexits = {
	ok: 0,
	usage: 64,
	data: 65,
	noUser: 67,
	unavailable: 69,
	later: 75,
	denied: 77,
	settings: 78,
} as const;

/** What the exit codes of other commands are here. All that is left may be another time, so that the mail is kept and sent again. */
const sysexitOf: Readonly<Record<number, number>> = {
	[exitCodes.usage]: sysexits.usage,
	[exitCodes.denied]: sysexits.denied,
	[exitCodes.notFound]: sysexits.noUser,
};

/** The same failure with the exit code of sendmail. */
export function asSysexit(error: unknown): Exit {
	const {exitCode, code, message, hint, details} = describeFailure(error);
	const {reply} = details ?? {};
	const sysexit = exitCode >= sysexits.usage && exitCode <= sysexits.settings ? exitCode : undefined;
	return new Exit(sysexit ?? ofReply(reply) ?? sysexitOf[exitCode] ?? sysexits.later, code, message, {hint});
}

/** By the reply of SMTP with which the mail was refused. */
function ofReply(reply: unknown): number | undefined {
	if (typeof reply !== 'number') {
		return undefined;
	}

	if (reply < 500) {
		return sysexits.later;
	}

	return (
		{
			501: sysexits.data,
			530: sysexits.denied,
			535: sysexits.denied,
			550: sysexits.noUser,
			551: sysexits.noUser,
			553: sysexits.noUser,
		}[reply] ?? sysexits.unavailable
	);
}
