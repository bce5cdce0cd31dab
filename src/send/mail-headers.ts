/** Headers that a mail has from other fields of a request. */
const taken: ReadonlySet<string> = new Set([
	'bcc',
	'cc',
	'date',
	'from',
	'message-id',
	'mime-version',
	'reply-to',
	'subject',
	'to',
]);

/** Whether a header is none that a sender adds: another field says it, or it says how the parts of the mail are written. */
export function isTakenHeader(name: string): boolean {
	return taken.has(name.toLowerCase()) || /^content-/i.test(name);
}

/** Whether this can be a header (RFC 5322, section 2.2): in one line, since the rest would be other headers. */
export function isHeader(name: string, value: string): boolean {
	return /^[!-9;-~]{1,998}$/.test(name) && !/[\r\n\0]/.test(value);
}
