import type {SMTPServerAddress, SMTPServerAuthentication, SMTPServerEnvelope, SMTPServerSession} from 'smtp-server';
import {readableAddress} from '../domain/mail/address.js';
import type {Dsn, Envelope, Session} from '../domain/mail/message.js';
import {shortText} from '../lib/text/sanitize.js';
import type {PasswordCheck} from '../services/inboxes/logins.js';
import {Refusal} from './reply.js';
import type {TlsFacts} from './tls.js';

/** User of a session, as the library stores it. */
export type SessionUser = NonNullable<Session['auth']> & {
	/** Inbox of the login, if it is one of an inbox, and the check that its password passed. */
	readonly inboxId?: string;
	readonly checkPassword?: PasswordCheck;
};

/** Login as messages present it. */
export function loginOf({method, username}: SMTPServerAuthentication): NonNullable<Session['auth']> {
	return {mechanism: method, user: shortText(username ?? '')};
}

/** Latest facts of each session, and what they were made of. */
const latest = new WeakMap<SMTPServerSession, {readonly inputs: readonly unknown[]; readonly facts: Session}>();

/** Session facts of the current mail: the same object as long as they do not change. The user is a `SessionUser`. */
export function sessionOf(session: SMTPServerSession): Session {
	const {tlsOptions, servername, remoteAddress, hostNameAppearsAs, user} = session;
	const inputs = [tlsOptions, servername, remoteAddress, hostNameAppearsAs, user];
	const known = latest.get(session);
	if (known && inputs.every((input, index) => input === known.inputs[index])) {
		return known.facts;
	}

	const facts = factsOf(session);
	latest.set(session, {inputs, facts});
	return facts;
}

function factsOf(session: SMTPServerSession): Session {
	const {tlsOptions, servername, remoteAddress, hostNameAppearsAs} = session;
	const login = userOf(session);
	const tls: TlsFacts | false | undefined = tlsOptions;
	return {
		tls: tls
			? {
					version: tls.version,
					cipher: tls.standardName,
					servername: shortText(servername || '') || null,
					...(tls.client !== undefined && {client: shortText(tls.client)}),
				}
			: null,
		auth: login ? {mechanism: login.mechanism, user: login.user} : null,
		client: {host: remoteAddress, helo: shortText(hostNameAppearsAs || '') || null},
	};
}

/** User of the session, if there was a login. */
export function userOf({user}: SMTPServerSession): SessionUser | undefined {
	const login: SessionUser | false | undefined = user;
	return login || undefined;
}

const badEnvelopeId = new Refusal(501, 'ENVID must have at most 100 printable ASCII characters');
const longOriginalRecipient = new Refusal(501, 'ORCPT must have at most 500 characters');

/** Command with a usual address and no parameters, which needs no further parsing. */
const plainCommand = /^(mail from|rcpt to):<([\w.+-]+@(?!.*xn--)[\w.-]+)>$/i;

/** Result of parsing MAIL or RCPT, and the address for reports: null if none can be read. */
type Path<Parsed> = {readonly parsed: Parsed | false; readonly address: string | null};

/**
 * Parses MAIL or RCPT with `parse`, the parser of the library, and presents the domain readably as the client spelled it. The
 * library decodes whatever looks like punycode: an invalid label (`xn--shop-.test`) becomes another domain. It also ends the
 * address at the first blank, quoted or not.
 */
export function readPath<Parsed extends SMTPServerAddress>(
	name: string,
	command: string,
	parse: () => Parsed | false,
): Path<Parsed | {readonly address: string; readonly args: false}> {
	const [, verb, plain = ''] = plainCommand.exec(command) ?? [];
	if (verb?.toLowerCase() === name) {
		return {parsed: {address: plain, args: false}, address: plain};
	}

	const parsed = parse();
	if (!parsed || !hasKeywords(parsed.args) || !closesQuotes(parsed.address)) {
		return {parsed: false, address: addressIn(command)};
	}

	const at = parsed.address.lastIndexOf('@');
	const [, domain = ''] = /@([^@<>]*)>/.exec(command) ?? [];
	const address = at >= 0 ? readableAddress(`${parsed.address.slice(0, at)}@${domain}`) : parsed.address;
	return {parsed: {...parsed, address}, address};
}

/** Returns the refusal of invalid DSN parameters (RFC 3461, sections 4.2 and 4.4) that the library accepts. */
export function dsnRefusal({args}: SMTPServerAddress): Refusal | null {
	const {ENVID: envid, ORCPT: orcpt} = args || {};
	if (typeof envid === 'string' && !/^[ -~]{1,100}$/.test(envid)) {
		return badEnvelopeId;
	}

	return typeof orcpt === 'string' && orcpt.length > 500 ? longOriginalRecipient : null;
}

/**
 * The envelope of a session, with DSN parameters if there are any. Accepted commands supply them: the library also
 * stores the parameters of rejected commands.
 */
export function envelopeOf({mailFrom, rcptTo}: SMTPServerEnvelope): Envelope {
	const {address: from, args} = mailFrom || {address: '', args: false};
	const {RET: ret, ENVID: envid} = args || {};
	const withDsn = rcptTo.filter(({dsn}) => dsn !== undefined);
	const to = rcptTo.map(({address}) => address);
	if (ret === undefined && envid === undefined && withDsn.length === 0) {
		return {from, to};
	}

	const dsn: Dsn = {
		...(typeof ret === 'string' && {ret: ret.toUpperCase() === 'FULL' ? 'FULL' : 'HDRS'}),
		...(typeof envid === 'string' && {envid}),
		...(withDsn.length > 0 && {recipients: Object.fromEntries(withDsn.map(dsnOf))}),
	};
	return {from, to, dsn};
}

function dsnOf({address, dsn: {notify, orcpt} = {}}: SMTPServerAddress) {
	return [address, {...(notify && {notify: [...new Set(notify)]}), ...(orcpt !== undefined && {orcpt})}] as const;
}

/** The address in a command, as far as it can be read. */
function addressIn(command: string): string | null {
	return /:\s*<?([^<>]*)/.exec(command)?.[1] ?? null;
}

/** False if what follows the address is more of the address instead of parameters (RFC 5321, section 4.1.2, `esmtp-keyword`). */
function hasKeywords(args: object | false): boolean {
	return Object.keys(args || {}).every(keyword => /^[a-z\d][a-z\d-]*$/i.test(keyword));
}

/** False if a quoted string in the address (RFC 5321, section 4.1.2) is not closed. */
function closesQuotes(address: string): boolean {
	return /^(?:"(?:[^"\\]|\\.)*"|[^"])*$/.test(address);
}
