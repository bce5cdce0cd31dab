/** A field of a header section: its name in lower case, and its value on one line. */
export type PlainField = {readonly key: string; readonly value: string};

/** Who answers for many, or for a program (RFC 3834, section 2; RFC 5230, section 4.6). */
const programs = /^(?:owner-.*|.*-(?:owner|request)|mailer-daemon|listserv|majordomo)@/i;

/** Why nobody answers such a mail by a program (RFC 3834, section 2), in a sentence; undefined when one may. */
export function autoReplyProblem(sender: string, fields: readonly PlainField[]): string | undefined {
	if (programs.test(sender)) {
		return `Automatic replies are not sent to <${sender}>: a program reads this mail.`;
	}

	const field = fields.find(isOfProgram);
	return field && `Automatic replies are not sent to automatic mail: the message has "${field.key}: ${field.value}".`;
}

function isOfProgram({key, value}: PlainField): boolean {
	switch (key) {
		case 'auto-submitted':
			return !/^no\b/i.test(value);
		case 'precedence':
			return /^(?:bulk|junk|list)\b/i.test(value);
		case 'x-auto-response-suppress':
			return /\b(?:all|oof|autoreply)\b/i.test(value);
		default:
			return key.startsWith('list-');
	}
}
