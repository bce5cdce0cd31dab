import {isIP} from 'node:net';
import {type BouncedMail, mailDate} from './bounce.js';

/** The body of a `message/feedback-report` part: somebody calls the mail spam (RFC 5965, section 3). `host` is the name of this mail server. */
export function feedbackReport(
	recipients: readonly string[],
	{envelope, session, summary, receivedAt}: BouncedMail,
	{host, agent}: {readonly host: string; readonly agent: string},
): string {
	const ip = session?.client.host ?? '';
	const domain = summary.from.slice(summary.from.lastIndexOf('@') + 1);
	const fields: ReadonlyArray<readonly [string, string | undefined]> = [
		['Feedback-Type', 'abuse'],
		['User-Agent', agent],
		['Version', '1'],
		['Original-Envelope-Id', envelope.dsn?.envid],
		['Original-Mail-From', `<${envelope.from}>`],
		...recipients.map(address => ['Original-Rcpt-To', `<${address}>`] as const),
		['Arrival-Date', mailDate(new Date(receivedAt))],
		['Reporting-MTA', `dns; ${host}`],
		['Source-IP', isIP(ip) === 0 ? undefined : ip],
		['Reported-Domain', domain || undefined],
	];
	// These fields have no encoding: what is not ASCII stays as it is (RFC 6532).
	return fields
		.filter(([, value]) => value !== undefined)
		.map(([name, value = '']) => `${name}: ${value.replace(/\p{Cc}/gu, '?')}\r\n`)
		.join('');
}
