/** Texts that would add a line to a header, raw or after decoding. */
export const injections = [
	'\r\nX-Injected: yes',
	'\nX-Injected: yes',
	'\rX-Injected: yes',
	'\r\n\r\nX-Injected: yes',
	'\r\n \r\nX-Injected: yes',
	'\0\r\nX-Injected: yes',
	'\u000b\u000cX-Injected: yes',
	'\u0085X-Injected: yes',
	'\u2028X-Injected: yes',
	'\u2029\u0085\r\nX-Injected: yes',
	'%0d%0aX-Injected: yes',
	'=?utf-8?q?=0D=0AX-Injected:_yes?=',
	'=?utf-8?b?DQpYLUluamVjdGVkOiB5ZXM=?=',
	'"\r\nX-Injected: yes\r\nX-Other: "',
	';\r\nX-Injected: yes',
] as const;

/**
 * Lines of a mail that are no valid line of a header, or are the header of `injections`. `source` has one character per byte.
 * Checks the header sections of the mail and of its parts, and the fields of reports.
 */
export function wrongHeaderLines(source: string): readonly string[] {
	return headerSections(source)
		.flatMap(section => section.split('\r\n'))
		.filter(line => !/^(?:[!-9;-~]+:|[ \t]+\S)[^\0\r\n]*$/.test(line) || /^x-injected/i.test(line));
}

const reportType = /^content-type:\s*message\/(?:delivery-status|feedback-report)/im;

function headerSections(source: string): readonly string[] {
	const end = source.indexOf('\r\n\r\n');
	const head = end === -1 ? source : source.slice(0, end);
	const [, boundary] = /^content-type:\s*multipart\/[\s\S]*?boundary="?([^"\r\n;]+)/im.exec(head) ?? [];
	const parts = boundary === undefined ? [] : source.slice(end).split(`\r\n--${boundary}`).slice(1, -1);
	const report = reportType.test(head) ? source.slice(end).trim().split('\r\n\r\n') : [];
	return [head, ...report, ...parts.flatMap(part => headerSections(part.replace(/^[^\n]*\n/, '')))];
}
