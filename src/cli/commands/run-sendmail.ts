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
import {maxMailBytes} from '../options.js';
import {Exit, exitCodes} from '../output/exit.js';
import {describeFailure} from '../output/failure.js';
import {printLine} from '../output/print.js';

/** Exit codes of sendmail, from `<sysexits.h>`. */
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

/** Maps exit codes of other commands. All others become `later`, so that callers keep the mail and retry. */
const sysexitOf: Readonly<Record<number, number>> = {
	[exitCodes.usage]: sysexits.usage,
	[exitCodes.denied]: sysexits.denied,
	[exitCodes.notFound]: sysexits.noUser,
};

/** Maps SMTP replies. Other 4xx replies become `later`, other 5xx replies `unavailable`. */
const sysexitOfReply: Readonly<Record<number, number>> = {
	501: sysexits.data,
	530: sysexits.denied,
	535: sysexits.denied,
	550: sysexits.noUser,
	551: sysexits.noUser,
	553: sysexits.noUser,
};

type SendmailCall = {
	/** The letter after `-b`: `m` sends mail from stdin, `s` speaks SMTP. `q` is `-q`. */
	mode: string;
	readonly recipients: string[];
	/** `-t` */
	readsRecipients: boolean;
	/** `-i`, `-oi` */
	ignoresDots: boolean;
	/** `-f`, `-r`; undefined for the user's own address. */
	sender: string | undefined;
	/** `--read-envelope-from`: the sender is the address in From. */
	readsSender: boolean;
	/** `-F` */
	name: string;
	/** `-N`, `-R` and `-V` (RFC 3461), in the form that nodemailer takes. */
	readonly dsn: {notify?: string[]; return?: 'headers' | 'full'; id?: string};
};

/** Runs `tinbox sendmail`. Throws `Exit` with an exit code of sendmail. */
export async function runSendmail(args: readonly string[], context: Context): Promise<void> {
	try {
		await run(readFlags(args), context);
	} catch (error) {
		throw asSysexit(error);
	}
}

function asSysexit(error: unknown): Exit {
	const {exitCode, code, message, hint, details: {reply} = {}} = describeFailure(error);
	const isSysexit = exitCode >= sysexits.usage && exitCode <= sysexits.settings;
	const mapped =
		typeof reply === 'number'
			? (sysexitOfReply[reply] ?? (reply < 500 ? sysexits.later : sysexits.unavailable))
			: (sysexitOf[exitCode] ?? sysexits.later);
	return new Exit(isSysexit ? exitCode : mapped, code, message, {hint});
}

async function run(call: SendmailCall, context: Context): Promise<void> {
	switch (call.mode) {
		case 's':
			return speakSmtp(await serverFor(context), context.io);
		case 'm':
		case 'am':
		case 'a':
			return send(call, context);
		default:
			return reportMode(call.mode, context.io);
	}
}

/** Flags with an effect. All other flags are accepted and ignored, as they configure a mail server. */
const effects: Readonly<Record<string, (call: SendmailCall, value: string) => void>> = {
	b: (call, value) => (call.mode = value),
	q: call => (call.mode = 'q'),
	I: call => (call.mode = 'i'),
	P: call => (call.mode = 'P'),
	S: call => (call.mode = 'S'),
	t: call => (call.readsRecipients = true),
	i: call => (call.ignoresDots = true),
	o: (call, value) => (call.ignoresDots ||= value === 'i'),
	O: (call, value) => (call.ignoresDots ||= /^IgnoreDots(?:=(?:t|y|1|$).*)?$/i.test(value)),
	f: (call, value) => (call.sender = value),
	r: (call, value) => (call.sender = value),
	F: (call, value) => (call.name = value),
	N: (call, value) => (call.dsn.notify = oneOf('-N', value.toLowerCase().split(','), notifications)),
	R: (call, value) =>
		(call.dsn.return = oneOf('-R', [value.toLowerCase()], ['full', 'hdrs'])[0] === 'full' ? 'full' : 'headers'),
	V: (call, value) => (call.dsn.id = value),
	'--from': (call, value) => (call.sender = value),
	'--read-recipients': call => (call.readsRecipients = true),
	'--read-envelope-from': call => (call.readsSender = true),
	'--pretend': call => (call.mode = 'P'),
	'--serverinfo': call => (call.mode = 'S'),
	'--version': call => (call.mode = 'V'),
};

const notifications = ['never', 'success', 'failure', 'delay'];

/** Letters whose value is the rest of the argument, or else the next argument. */
const lettersWithValue = 'ABCDFLNORVXabefhopr';

/** Options of Exim whose value is the next argument, such as `-oMa 127.0.0.1`. */
const eximOptions = /^o(?:M\w+|PX?|[AX])$/;

/** Letters whose value, if any, is the rest of the argument. */
const lettersWithAttachedValue = 'MQTdq';

const lettersWithoutValue = 'EGIPSUcgimnstvx';

/** Words of msmtp that take no value. For all others, the value follows `=` or is the next argument. */
const wordsWithoutValue =
	/^--(?:auto-from|debug|keepbcc|pretend|read-envelope-from|read-recipients|serverinfo|syslog|tls(?:-certcheck|-starttls)?|version)$/;

/** Parses the arguments. Throws `Exit` if a flag is unknown, lacks its value, or has a wrong one. */
export function readFlags(args: readonly string[]): SendmailCall {
	const call: SendmailCall = {
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
			call.recipients.push(...rest.splice(0));
		} else if (arg.startsWith('--')) {
			readWord(arg, rest, call);
		} else if (arg.startsWith('-') && arg !== '-') {
			readLetters(arg.slice(1), rest, call);
		} else {
			call.recipients.push(arg);
		}
	}

	return call;
}

/** Parses one or more letters, such as `t` or `tif`. */
function readLetters(letters: string, rest: string[], call: SendmailCall): void {
	const letter = letters.slice(0, 1);
	const attached = letters.slice(1);
	if (lettersWithoutValue.includes(letter)) {
		effects[letter]?.(call, '');
		if (attached !== '') {
			readLetters(attached, rest, call);
		}
	} else if (lettersWithAttachedValue.includes(letter)) {
		effects[letter]?.(call, attached);
	} else if (lettersWithValue.includes(letter)) {
		const takesNext = attached === '' || eximOptions.test(letters);
		const value = takesNext ? nextValue(`-${letters}`, rest) : attached;
		effects[letter]?.(call, value);
	} else {
		throw usageError(`Unknown flag -${letter}.`);
	}
}

function readWord(arg: string, rest: string[], call: SendmailCall): void {
	const [word = '', ...parts] = arg.split('=');
	const takesNext = parts.length === 0 && !wordsWithoutValue.test(word);
	const value = takesNext ? nextValue(word, rest) : parts.join('=');
	effects[word]?.(call, value);
}

function nextValue(flag: string, rest: string[]): string {
	const value = rest.shift();
	if (value === undefined) {
		throw usageError(`${flag} needs a value.`);
	}

	return value;
}

function oneOf(flag: string, values: string[], choices: readonly string[]): string[] {
	if (values.some(value => !choices.includes(value)) || (values.includes('never') && values.length > 1)) {
		throw usageError(`${flag} must be one of ${choices.join(', ')}, got "${values.join(',')}".`);
	}

	return values;
}

function usageError(message: string): Exit {
	return new Exit(sysexits.usage, 'usage', message, {hint: 'See: tinbox sendmail --help'});
}

/** Output of modes that do nothing here, by the first letter. */
const modeReports: Readonly<Record<string, string>> = {
	p: 'Mail queue is empty: tinbox stores mail immediately.',
	q: 'Nothing is queued: tinbox stores mail immediately.',
	i: 'There are no aliases: an inbox receives mail for its address.',
	V: `tinbox ${version}`,
};

function reportMode(mode: string, io: Io): void {
	const letter = mode.slice(0, 1);
	const report = modeReports[letter];
	if (report !== undefined) {
		printLine(io, report);
		return;
	}

	if (/[dDl]/.test(letter)) {
		throw new Exit(sysexits.usage, 'usage', `-b${mode} starts a daemon. Use this instead: tinbox daemon start`);
	}

	const message = `Unsupported mode "${mode}". Supported: sending mail, and SMTP with -bs.`;
	throw new Exit(sysexits.unavailable, 'no_mode', message);
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

/** SMTP server of the daemon, with the login of `TINBOX_INBOX` if that is set. */
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

/** Resolves a recipient without a domain: the name of an inbox, else a user of this host. */
async function addressOf(name: string, {api, env}: Context): Promise<string> {
	const isInbox = !(name.includes('@') || env['TINBOX_INBOX']);
	const inbox = isInbox ? await findInbox(await api(), name).catch(ignoreNotFound) : undefined;
	return inbox && !inbox.email_address.startsWith('*') ? inbox.email_address : wholeAddress(name);
}

/** Completes a user name with the name of this host. Rejects other text, which SMTP would cut down to an address. */
function wholeAddress(name: string): string {
	if (!/^(?:"(?:[^"\\]|\\.)+"|[^\s"<>(),;:@[\]\\]+)(?:@[^\s"<>(),;@\\]+)?$/.test(name)) {
		const hint = 'Use addresses such as ann@example.com, separated by commas.';
		throw new Exit(sysexits.data, 'no_address', `"${name}" is not an address or the name of an inbox.`, {hint});
	}

	return name.includes('@') ? name : `${name}@${hostname()}`;
}

function ignoreNotFound(error: unknown): undefined {
	if (!(error instanceof Exit && error.exitCode === exitCodes.notFound)) {
		throw error;
	}
}

/** The envelope sender; empty for `-f ""` and `-f "<>"`, so that nothing bounces. */
function senderOf({sender}: SendmailCall): string {
	if (sender === undefined) {
		return ownAddress();
	}

	const [address] = readAddresses(sender);
	return address === undefined ? '' : wholeAddress(address);
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

/** A mail from stdin. Header fields are read as Latin-1, so that one character is one byte. */
type SubmittedMail = {readonly fields: readonly Field[]; readonly body: Buffer};

type Field = {readonly key: string; readonly line: string};

type Sender = {readonly name: string; readonly address: string};

const lineFeed = 0x0a;

/** Header fields that are removed. */
const removedFields = ['bcc', 'resent-bcc'];

/** Parses a mail as sendmail does: text without a header section is body, and an mbox separator line is dropped. */
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

	return {fields: lines.map(toField), body: mail.subarray(at)};
}

/** Addresses in the header fields with these names, groups included (RFC 5322, section 3.4). */
export function addressesOf({fields}: SubmittedMail, ...keys: readonly string[]): readonly string[] {
	return fields.filter(({key}) => keys.includes(key)).flatMap(({line}) => readAddresses(textOf(line)));
}

/** Recipients in the header: the Resent fields if present, else To, Cc and Bcc (RFC 5322, section 3.6.6). */
export function recipientsIn(mail: SubmittedMail): readonly string[] {
	const again = addressesOf(mail, 'resent-to', 'resent-cc', 'resent-bcc');
	return again.length > 0 ? again : addressesOf(mail, 'to', 'cc', 'bcc');
}

function readAddresses(text: string): readonly string[] {
	return addressparser(text, {flatten: true})
		.map(({address, name}) => address || name)
		.filter(address => address !== '');
}

/** The source to send: without Bcc, and with From, Date and Message-ID. */
export function completed({fields, body}: SubmittedMail, sender: Sender): Buffer {
	const node = new MimeNode('text/plain');
	node.setHeader({From: [sender], Date: new Date()});
	const made = node
		.buildHeaders()
		.split(/\r\n(?![ \t])/)
		.map(toField);
	const missing = made.filter(
		({key}) => ['from', 'date', 'message-id'].includes(key) && !fields.some(field => field.key === key),
	);
	const kept = fields.filter(({key}) => !removedFields.includes(key));
	const head = [...kept, ...missing].map(({line}) => `${line}\r\n`).join('');
	return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body]);
}

function toField(line: string): Field {
	return {key: line.slice(0, line.indexOf(':')).trim().toLowerCase(), line};
}

function textOf(line: string): string {
	return Buffer.from(line.slice(line.indexOf(':') + 1).replace(/\r\n/g, ''), 'latin1').toString();
}

/** The mail up to a line with a single dot. */
function beforeDot(mail: Buffer): Buffer {
	for (let at = 0; at < mail.length; at = lineEnd(mail, at)) {
		if (mail[at] === 0x2e && /^\.\r?\n?$/.test(mail.toString('latin1', at, Math.min(lineEnd(mail, at), at + 4)))) {
			return mail.subarray(0, at);
		}
	}

	return mail;
}

/** Offset of the next line. */
function lineEnd(mail: Buffer, from: number): number {
	const end = mail.indexOf(lineFeed, from);
	return end < 0 ? mail.length : end + 1;
}

/** The last line of a reply (RFC 5321, section 4.2.1). */
const lastLine = /^(\d{3})(?: .*)?\r\n$/m;

const quit = 'quit\r\n';

/** Idle timeout after stdin ended, in milliseconds. */
const graceMs = 10_000;

/** Connects stdin and stdout to the SMTP server, after logging in if `server` has a login. */
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
		pipeStdin(stdin, socket);
		for await (const piece of pieces) {
			stdout.write(piece);
		}
	} catch (error) {
		throw error instanceof Exit
			? error
			: new Exit(sysexits.later, 'no_daemon', `No SMTP response from ${hostPort(server)}: ${causeOf(error)}.`);
	} finally {
		socket.destroy();
		// An open stdin would keep this process alive.
		stdin.destroy();
	}
}

/** Pipes stdin to the socket. After its end, QUIT is added and replies are still printed. */
function pipeStdin(stdin: Io['stdin'], socket: Socket): void {
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

/** Reads a complete reply. Throws `Exit` for 4xx and 5xx. */
async function readReply(pieces: AsyncIterator<Buffer>): Promise<string> {
	let reply = '';
	for (;;) {
		const {value} = await pieces.next();
		if (value === undefined) {
			throw new Error('the connection was closed');
		}

		reply += String(value);
		const [, code] = lastLine.exec(reply) ?? [];
		if (code !== undefined && code >= '4') {
			const message = `The SMTP server rejected the session: ${reply.trim()}`;
			throw new Exit(code < '5' ? sysexits.later : sysexits.denied, 'refused', message);
		}

		if (code !== undefined) {
			return reply;
		}
	}
}
