import addressparser from 'nodemailer/lib/addressparser';
import MimeNode from 'nodemailer/lib/mime-node';

/** A mail from stdin: its fields, each byte being one character, folds included, and what is behind the empty line. */
export type SubmittedMail = {readonly fields: readonly Field[]; readonly body: Buffer};

type Field = {readonly key: string; readonly line: string};

type Sender = {readonly name: string; readonly address: string};

const lineFeed = 0x0a;

/** Fields that the recipients do not get. */
const hidden = ['bcc', 'resent-bcc'];

/** Reads a mail as sendmail does: what is no header section is text; a line before it that begins with `From ` is left out. */
export function readSubmitted(input: Buffer, ignoresDots: boolean): SubmittedMail {
	const mail = ignoresDots ? input : beforeDot(input);
	const lines: string[] = [];
	let at = /^>?From /.test(mail.toString('latin1', 0, 6)) ? lineEnd(mail, 0) : 0;
	while (at < mail.length) {
		const next = lineEnd(mail, at);
		const line = mail.toString('latin1', at, next).replace(/\r?\n$/, '');
		if (line === '') {
			at = next;
			break;
		}

		if (/^[ \t]/.test(line) && lines.length > 0) {
			lines.push(`${lines.pop()}\r\n${line}`);
		} else if (/^[!-9;-~]+[ \t]*:/.test(line)) {
			lines.push(line);
		} else {
			break;
		}

		at = next;
	}

	const fields = lines.map(line => ({key: line.slice(0, line.indexOf(':')).trim().toLowerCase(), line}));
	return {fields, body: mail.subarray(at)};
}

/** The addresses in fields with these names, also those in groups and behind comments (RFC 5322, section 3.4). */
export function addressesOf({fields}: SubmittedMail, ...keys: readonly string[]): readonly string[] {
	return fields.filter(({key}) => keys.includes(key)).flatMap(({line}) => readAddresses(textOf(line)));
}

/** Whom the header names: whoever gets the mail once more, else everybody (RFC 5322, section 3.6.6). */
export function recipientsIn(mail: SubmittedMail): readonly string[] {
	const again = addressesOf(mail, 'resent-to', 'resent-cc', 'resent-bcc');
	return again.length > 0 ? again : addressesOf(mail, 'to', 'cc', 'bcc');
}

/** The addresses in a text. */
export function readAddresses(text: string): readonly string[] {
	return addressparser(text, {flatten: true})
		.map(({address, name}) => address || name)
		.filter(address => address !== '');
}

/** The bytes to send: without the fields that are hidden, and with those that every mail has. */
export function completed({fields, body}: SubmittedMail, sender: Sender): Buffer {
	const node = new MimeNode('text/plain');
	node.setHeader({From: [sender], Date: new Date()});
	const made = node.buildHeaders().split(/\r\n(?![ \t])/);
	const missing = made.filter(
		line =>
			/^(?:From|Date|Message-ID):/i.test(line) &&
			!fields.some(({key}) => key === line.slice(0, line.indexOf(':')).toLowerCase()),
	);
	const lines = [...fields.filter(({key}) => !hidden.includes(key)).map(({line}) => line), ...missing];
	return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

function textOf(line: string): string {
	return Buffer.from(line.slice(line.indexOf(':') + 1).replace(/\r\n/g, ''), 'latin1').toString();
}

/** What is before a line with nothing but a dot. */
function beforeDot(mail: Buffer): Buffer {
	for (let at = 0; at < mail.length; at = lineEnd(mail, at)) {
		if (mail[at] === 0x2e && /^\.\r?\n?$/.test(mail.toString('latin1', at, Math.min(lineEnd(mail, at), at + 4)))) {
			return mail.subarray(0, at);
		}
	}

	return mail;
}

/** Where the next line begins. */
function lineEnd(mail: Buffer, from: number): number {
	const end = mail.indexOf(lineFeed, from);
	return end < 0 ? mail.length : end + 1;
}
