import {connect, type Socket} from 'node:net';
import {hostname, userInfo} from 'node:os';
import addressparser from 'nodemailer/lib/addressparser';
import MimeNode from 'nodemailer/lib/mime-node';
import {causeOf} from '../../lib/errors.js';
import {hostPort} from '../../lib/io/hosts.js';
import {formatSize} from '../../lib/text/units.js';
import {version} from '../../lib/version.js';
import {type Server, sendMail} from '../connect/smtp-client.js';
import {findServer, loggedIn, mailingsTo} from '../connect/smtp-server.js';
import type {Context, Io} from '../context.js';
import {findInbox} from '../find.js';
import {maxMailBytes} from '../mail-files/formats.js';
import {Exit, exitCodes} from '../output/exit.js';
import {describeFailure} from '../output/failure.js';
import {printLine} from '../output/print.js';

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
function asSysexit(error: unknown): Exit {
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

/** What the arguments of sendmail ask for. */
type SendmailCall = {
	/** The letters behind `-b`: `m` for mail from stdin, `s` for SMTP; also `q` for `-q`, and so on. */
	mode: string;
	readonly recipients: string[];
	/** `-t`: the header names recipients, too. */
	readsRecipients: boolean;
	/** `-i`: a line with nothing but a dot does not end the mail. */
	ignoresDots: boolean;
	/** `-f`, `-r`; undefined for the user's own address. */
	sender: string | undefined;
	/** The sender is the author that the header names, as msmtp can have it. */
	readsSender: boolean;
	/** `-F`: the name beside the sender. */
	name: string;
	/** `-N`, `-R` and `-V` (RFC 3461), as nodemailer takes them. */
	readonly dsn: {notify?: string[]; return?: 'headers' | 'full'; id?: string};
};

/** What a flag does; for what is not here, the flag configures a mail server, and nothing is done. */
const effects: Readonly<Record<string, (read: SendmailCall, value: string) => void>> = {
	b: (read, value) => (read.mode = value),
	q: read => (read.mode = 'q'),
	I: read => (read.mode = 'i'),
	P: read => (read.mode = 'P'),
	S: read => (read.mode = 'S'),
	t: read => (read.readsRecipients = true),
	i: read => (read.ignoresDots = true),
	o: (read, value) => (read.ignoresDots ||= value === 'i'),
	O: (read, value) => (read.ignoresDots ||= /^IgnoreDots(?:=(?:t|y|1|$).*)?$/i.test(value)),
	f: (read, value) => (read.sender = value),
	r: (read, value) => (read.sender = value),
	F: (read, value) => (read.name = value),
	N: (read, value) => (read.dsn.notify = oneOf('-N', value.toLowerCase().split(','), notices)),
	R: (read, value) =>
		(read.dsn.return = oneOf('-R', [value.toLowerCase()], ['full', 'hdrs'])[0] === 'full' ? 'full' : 'headers'),
	V: (read, value) => (read.dsn.id = value),
};

const notices = ['never', 'success', 'failure', 'delay'];

/**
 * The flags of Sendmail, Postfix, Exim and msmtp by what they take: a value, behind the letter or in the next argument; a value
 * that can only be behind it; none.
 */
const withValue = 'ABCDFLNORVXabefhopr';
const withAttached = 'MQTdq';
const alone = 'EGIPSUcgimnstvx';

/** Of `-o`, those of Exim whose value is the next argument. */
const eximOptions = ['A', 'Ma', 'Maa', 'Mai', 'Mas', 'Mi', 'Mm', 'Mr', 'Ms', 'Mt', 'P', 'PX', 'X'];

/** What flags of msmtp do that have whole words. */
const wordEffects: typeof effects = {
	from: (read, value) => (read.sender = value),
	'read-recipients': read => (read.readsRecipients = true),
	'read-envelope-from': read => (read.readsSender = true),
	pretend: read => (read.mode = 'P'),
	serverinfo: read => (read.mode = 'S'),
	rmqs: read => (read.mode = 'q'),
	version: read => (read.mode = 'V'),
};

/** Those whose value is the next argument where no equals sign is behind them. */
const wordsWithValue = (
	'account aliases domain dsn-notify dsn-return eval file from host logfile logfile-time-format passwordeval port protocol ' +
	'proxy-host proxy-port rmqs socket source-ip timeout tls-cert-file tls-crl-file tls-fingerprint tls-host-override ' +
	'tls-key-file tls-priorities tls-trust-file user'
).split(' ');

/** Reads arguments as these programs do. Throws `Exit`. */
export function readFlags(args: readonly string[]): SendmailCall {
	const read: SendmailCall = {
		mode: 'm',
		recipients: [],
		readsRecipients: false,
		ignoresDots: false,
		sender: undefined,
		readsSender: false,
		name: '',
		dsn: {},
	};
	const rest = [...args];
	for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
		if (arg === '--') {
			read.recipients.push(...rest.splice(0));
		} else if (arg.startsWith('--')) {
			readWord(arg.slice(2), rest, read);
		} else if (arg.startsWith('-') && arg !== '-') {
			readLetters(arg.slice(1), rest, read);
		} else {
			read.recipients.push(arg);
		}
	}

	return read;
}

/** One letter, or several: `tif ann@example.com`. */
function readLetters(letters: string, rest: string[], read: SendmailCall): void {
	const letter = letters.slice(0, 1);
	const behind = letters.slice(1);
	if (alone.includes(letter)) {
		effects[letter]?.(read, '');
		if (behind !== '') {
			readLetters(behind, rest, read);
		}
	} else if (withAttached.includes(letter)) {
		effects[letter]?.(read, behind);
	} else if (withValue.includes(letter)) {
		const value = behind === '' ? nextOf(`-${letter}`, rest) : behind;
		effects[letter]?.(read, value);
		if (letter === 'o' && eximOptions.includes(value)) {
			nextOf(`-o${value}`, rest);
		}
	} else {
		throw wrong(`Unknown flag -${letter}.`);
	}
}

function readWord(text: string, rest: string[], read: SendmailCall): void {
	const [word = '', ...parts] = text.split('=');
	const attached = parts.length === 0 ? undefined : parts.join('=');
	const value = attached ?? (wordsWithValue.includes(word) ? nextOf(`--${word}`, rest) : '');
	wordEffects[word]?.(read, value);
}

function nextOf(flag: string, rest: string[]): string {
	const value = rest.shift();
	if (value === undefined) {
		throw wrong(`${flag} needs a value.`);
	}

	return value;
}

function oneOf(flag: string, values: string[], known: readonly string[]): string[] {
	if (values.some(value => !known.includes(value)) || (values.includes('never') && values.length > 1)) {
		throw wrong(`${flag} must be one of ${known.join(', ')}, got "${values.join(',')}".`);
	}

	return values;
}

function wrong(message: string): Exit {
	return new Exit(sysexits.usage, 'usage', message, {hint: 'See: tinbox sendmail --help'});
}

/** A mail from stdin: its fields, each byte being one character, folds included, and what is behind the empty line. */
type SubmittedMail = {readonly fields: readonly Field[]; readonly body: Buffer};

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
function readAddresses(text: string): readonly string[] {
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

/** The last line of a reply (RFC 5321, section 4.2.1). */
const lastLine = /^(\d{3})(?: .*)?\r\n$/m;

const quit = 'quit\r\n';

/** How long the server may be silent when the caller has left. */
const graceMs = 10_000;

/** Has the caller speak SMTP with the server, by stdin and stdout. Who is to log in there is logged in before. */
async function speakSmtp(server: Server, {stdin, stdout}: Io): Promise<void> {
	const socket = connect({host: server.host, port: server.port});
	try {
		const pieces: AsyncIterableIterator<Buffer> = socket.iterator();
		const greeting = await readReply(pieces);
		if (server.login) {
			const {user, password} = server.login;
			socket.write('EHLO localhost\r\n');
			await readReply(pieces);
			socket.write(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}\r\n`);
			await readReply(pieces);
		}

		stdout.write(greeting);
		speak(stdin, socket);
		for await (const piece of pieces) {
			stdout.write(piece);
		}
	} catch (error) {
		throw error instanceof Exit
			? error
			: new Exit(sysexits.later, 'no_daemon', `No SMTP response from ${hostPort(server)}: ${causeOf(error)}.`);
	} finally {
		socket.destroy();
		// Whoever keeps it open would keep this process, too.
		stdin.destroy();
	}
}

/** Hands over what the caller says. When it has left, it is still told what became of that. */
function speak(stdin: Io['stdin'], socket: Socket): void {
	let last = '';
	stdin.on('data', (piece: Buffer) => {
		last = (last + piece.toString('latin1')).slice(-quit.length);
	});
	stdin.once('end', () => {
		socket.setTimeout(graceMs, () => socket.destroy(new Error('the caller ended in the middle of a mail')));
		if (last.toLowerCase() !== quit) {
			socket.write(quit);
		}
	});
	stdin.pipe(socket, {end: false});
}

/** A whole reply. Throws `Exit` where it refuses. */
async function readReply(pieces: AsyncIterator<Buffer>): Promise<string> {
	let reply = '';
	for (;;) {
		const {value} = await pieces.next();
		if (value === undefined) {
			throw new Error('the connection was closed');
		}

		reply += String(value);
		const [, code] = lastLine.exec(reply) ?? [];
		if (code !== undefined) {
			assertTaken(Number(code), reply);
			return reply;
		}
	}
}

function assertTaken(code: number, reply: string): void {
	if (code >= 400) {
		const message = `The SMTP server rejected the session: ${reply.trim()}`;
		throw new Exit(code < 500 ? sysexits.later : sysexits.denied, 'refused', message);
	}
}

/** Does what sendmail does with these arguments, as far as tinbox can. Throws `Exit` with an exit code of sendmail. */
export async function runSendmail(args: readonly string[], context: Context): Promise<void> {
	try {
		await run(readFlags(args), context);
	} catch (error) {
		throw asSysexit(error);
	}
}

async function run(call: SendmailCall, context: Context): Promise<void> {
	const {mode} = call;
	if (mode === 's') {
		await speakSmtp(await serverFor(context), context.io);
	} else if (['m', 'am', 'a'].includes(mode)) {
		await send(call, context);
	} else {
		answerMode(mode, context.io);
	}
}

/** What is said in modes in which there is nothing to do. */
const answers: Readonly<Record<string, string>> = {
	p: 'Mail queue is empty: tinbox stores mail immediately.',
	q: 'Nothing is queued: tinbox stores mail immediately.',
	i: 'There are no aliases: an inbox receives mail for its address.',
	V: `tinbox ${version}`,
};

function answerMode(mode: string, io: Io): void {
	const letter = mode.slice(0, 1);
	const answer = answers[letter];
	if (answer !== undefined) {
		printLine(io, answer);
	} else if (/[dDl]/.test(letter)) {
		throw new Exit(sysexits.usage, 'usage', `-b${mode} starts a daemon. Use this instead: tinbox daemon start`);
	} else {
		throw new Exit(
			sysexits.unavailable,
			'no_mode',
			`Unsupported mode "${mode}". Supported: sending mail, and SMTP with -bs.`,
		);
	}
}

async function send(call: SendmailCall, context: Context): Promise<void> {
	const {readsRecipients, recipients, readsSender, dsn} = call;
	if (!readsRecipients && recipients.length === 0) {
		throw new Exit(sysexits.usage, 'usage', 'Specify recipients, or use -t to read them from the mail.');
	}

	const mail = readSubmitted(await readStdin(context.io), call.ignoresDots);
	const named = [...recipients.flatMap(readAddresses), ...(readsRecipients ? recipientsIn(mail) : [])];
	if (named.length === 0) {
		throw new Exit(sysexits.data, 'no_recipient', 'The mail has no recipients.');
	}

	const sender = (readsSender ? addressesOf(mail, 'from')[0] : undefined) ?? senderOf(call);
	const server = await serverFor(context);
	const to = [...new Set(await Promise.all(named.map(name => addressOf(name, context))))];
	const raw = completed(mail, {name: call.name, address: sender || ownAddress()});
	const failures: unknown[] = [];
	for (const {server: one, to: some} of await mailingsTo(to, server, context)) {
		await sendMail(one, {raw, envelope: {from: sender, to: [...some]}, dsn}).catch(error => failures.push(error));
	}

	if (failures.length > 0) {
		throw failures[0];
	}
}

async function readStdin({stdin}: Io): Promise<Buffer> {
	const pieces: Buffer[] = [];
	let size = 0;
	for await (const piece of stdin as AsyncIterable<Buffer>) {
		size += piece.length;
		if (size > maxMailBytes) {
			throw new Exit(sysexits.data, 'too_large', `The mail is larger than ${formatSize(maxMailBytes)}.`);
		}

		pieces.push(piece);
	}

	return Buffer.concat(pieces);
}

/** Where the mail goes: to the daemon, and with TINBOX_INBOX as that inbox. */
async function serverFor(context: Context): Promise<Server> {
	const name = context.env['TINBOX_INBOX'];
	const server = await findServer({}, context);
	if (!name) {
		return server;
	}

	const client = await context.api();
	const {id} = await findInbox(client, name).catch(error => {
		throw error instanceof Exit
			? new Exit(sysexits.settings, error.code, `TINBOX_INBOX: ${error.message}`, {hint: error.hint})
			: error;
	});
	return loggedIn(server, await client.inboxes.credentials(id));
}

/** A name alone is that of an inbox, or of a user at this host. */
async function addressOf(name: string, {api, env}: Context): Promise<string> {
	const isInbox = !(name.includes('@') || env['TINBOX_INBOX']);
	const inbox = isInbox ? await findInbox(await api(), name).catch(ignoreNotFound) : undefined;
	return inbox && !inbox.email_address.startsWith('*') ? inbox.email_address : wholeAddress(name);
}

/** An address, or the name of a user at this host: what else is written there would be cut down to some address. */
function wholeAddress(name: string): string {
	if (!/^(?:"(?:[^"\\]|\\.)+"|[^\s"<>(),;:@[\]\\]+)(?:@[^\s"<>(),;@\\]+)?$/.test(name)) {
		const message = `"${name}" is not an address or the name of an inbox.`;
		throw new Exit(sysexits.data, 'no_address', message, {
			hint: 'Use addresses such as ann@example.com, separated by commas.',
		});
	}

	return name.includes('@') ? name : `${name}@${hostname()}`;
}

function ignoreNotFound(error: unknown): undefined {
	if (!(error instanceof Exit && error.exitCode === exitCodes.notFound)) {
		throw error;
	}
}

/** Empty for mail to which nothing is to come back. */
function senderOf({sender}: SendmailCall): string {
	if (sender === undefined) {
		return ownAddress();
	}

	const [address = ''] = readAddresses(sender);
	return address === '' ? '' : wholeAddress(address);
}

function ownAddress(): string {
	return `${userName()}@${hostname()}`;
}

function userName(): string {
	try {
		return userInfo().username;
	} catch {
		// In a container, the user may have no name.
		return 'nobody';
	}
}
