import type {Readable} from 'node:stream';
import type {SMTPServerAuthentication, SMTPServerDataStream, SMTPServerOptions, SMTPServerSession} from 'smtp-server';
import type {Envelope, Session} from '../domain/message.js';
import {hashSecret, matchesHash} from '../domain/secret.js';
import type {Log} from '../lib/log.js';
import type {Refused} from '../services/refusals/refusals.js';
import {MailSource} from './mail-source.js';
import {Refusal, refusalOf, tooManyRecipients} from './reply.js';
import {loginOf, sessionOf} from './session.js';
import type {SmtpTls} from './tls-connection.js';

/** Where mail goes. What is refused is an `AppError`; anything else that is thrown is a bug and answered with 451. */
export type Intake = {
	/**
	 * Whether somebody takes mail for the address; `later` when that is to be in another mail, since this one has too many
	 * recipients. `mail` is the same for all of one mail.
	 */
	accepts(address: string, mail: object): Promise<boolean | 'later'>;
	/**
	 * Keeps the mail: once it resolved, the sender may forget it (RFC 5321, section 6.1). The source fails when the
	 * client leaves before the end, or with `too_large`; whatever is left of it when this rejects is read and dropped.
	 */
	deliver(envelope: Envelope, session: Session, source: Readable): Promise<void>;
	/** Is told what was refused, and of connections that failed. */
	refused(refused: Refused): void;
};

export type ProtocolOptions = {
	/** How the server calls itself in its greeting. */
	readonly name: string;
	/** Bytes of one mail. */
	readonly maxMessageSize: number;
	/** Of one mail. */
	readonly maxRecipients: number;
	/** How long a client may be silent. */
	readonly idleTimeoutMs: number;
	/** How long the end waits for mail that is on its way. */
	readonly stopDeadlineMs: number;
	/** What AUTH must present; null when anybody may send, with or without AUTH. */
	readonly login: {readonly user: string; readonly password: string} | null;
	/** Null where all mail comes in the clear. */
	readonly tls: SmtpTls | null;
};

/** The library's settings: what it announces and limits, and what it asks us. */
export function createProtocol(options: ProtocolOptions, intake: Intake, log: Log): SMTPServerOptions {
	/** Hands one mail over; null when it is kept, or when there is nobody left to tell. */
	const receive = async (data: SMTPServerDataStream, session: SMTPServerSession): Promise<Refusal | null> => {
		const source = new MailSource(data);
		try {
			await intake.deliver(envelopeOf(session), sessionOf(session), source);
			return null;
		} catch (error) {
			return hasLeft(data) ? null : refusalOf(error, log);
		} finally {
			source.destroy();
		}
	};
	return {
		name: options.name,
		heloResponse: '%s greets you',
		logger: false,
		hideENHANCEDSTATUSCODES: false,
		disableReverseLookup: true,
		// Without a certificate clients would only be sent into a handshake that fails.
		disabledCommands: options.tls ? [] : ['STARTTLS'],
		allowInsecureAuth: true,
		authMethods: ['PLAIN', 'LOGIN'],
		authOptional: options.login === null,
		authRequiredMessage: 'Authentication required: send AUTH first',
		// What an application sends is there to be looked at, odd addresses too.
		lenientAddressParsing: true,
		size: options.maxMessageSize,
		rejectOversized: true,
		maxRecipients: options.maxRecipients,
		socketTimeout: options.idleTimeoutMs,
		closeTimeout: options.stopDeadlineMs,
		onConnect: (_session, done) => done(),
		onMailFrom: (_address, _session, done) => done(),
		onAuth(auth, _session, done) {
			done(null, admits(options.login, auth) ? {user: loginOf(auth)} : {message: 'These credentials are not valid'});
		},
		onRcptTo({address}, session, done) {
			intake.accepts(address, session.envelope).then(
				isTaken => done(isTaken === 'later' ? tooManyRecipients : isTaken ? null : nobody(address)),
				(error: unknown) => done(refusalOf(error, log)),
			);
		},
		onData(data, session, done) {
			receive(data, session).then(refusal => done(refusal, 'Stored'));
		},
	};
}

function nobody(address: string): Refusal {
	return new Refusal(550, `<${address}>: no inbox takes it`);
}

function envelopeOf({envelope: {mailFrom, rcptTo}}: SMTPServerSession): Envelope {
	return {from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({address}) => address)};
}

/** Whether the client went away before the end of its mail, so that there is nobody to answer. */
function hasLeft(data: SMTPServerDataStream): boolean {
	return data.destroyed && !data.readableEnded;
}

/** Whether the client may go on. */
function admits(wanted: ProtocolOptions['login'], {username, password}: SMTPServerAuthentication): boolean {
	return wanted === null || (isSame(wanted.user, username) && isSame(wanted.password, password));
}

/** Takes the same time wherever the two differ. */
function isSame(wanted: string, given: string | null | undefined): boolean {
	return matchesHash(given ?? '', hashSecret(wanted));
}
