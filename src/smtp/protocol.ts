import {Readable} from 'node:stream';
import type {SMTPServerDataStream, SMTPServerOptions, SMTPServerSession} from 'smtp-server';
import {AppError} from '../domain/errors.js';
import type {FaultEffect} from '../domain/faults/fault.js';
import type {Envelope, Session} from '../domain/mail/message.js';
import type {Log} from '../lib/log.js';
import {FaultRejection} from '../services/faults/engine.js';
import type {NewRefusal} from '../services/refusals.js';
import {Authentication, type AuthenticationOptions, bearerMechanisms} from './authentication.js';
import {SessionFaults, type SmtpFaults, withFaults} from './faults.js';
import {Refusal, refusalOf, tooManyRecipients} from './reply.js';
import {dsnRefusal, envelopeOf, sessionOf, userOf} from './session.js';
import type {SmtpTls} from './tls.js';

/** Services behind the SMTP server. An `AppError` rejects what the client asks; any other error is a bug, and the reply is 451. */
export type SmtpServices = {
	/**
	 * Accepts a recipient: see `Recipients.accept`. `mail` is the same object for all recipients of one mail, `inboxId` the inbox of
	 * the login.
	 */
	acceptRecipient(address: string, mail: object, inboxId?: string): Promise<boolean | 'later'>;
	/**
	 * Stores a mail: once it resolves, the sender may forget it (RFC 5321, section 6.1). The source fails if the client leaves before
	 * the end, or with `too_large`; the rest of it is dropped if this rejects. Returns the effect of a fault on the reply, and throws
	 * `FaultRejection` if a fault rejects the mail.
	 */
	deliver(
		envelope: Envelope,
		session: Session,
		source: Readable,
		mail: object,
		inboxId?: string,
	): Promise<FaultEffect | null>;
	readonly faults: SmtpFaults;
	readonly logins: AuthenticationOptions['logins'];
	/** Records a refusal, or a connection that failed. */
	refused(refusal: NewRefusal): void;
};

export type ProtocolOptions = {
	/** Host name in the greeting. */
	readonly name: string;
	/** Maximum size of a mail in bytes. */
	readonly maxMessageSize: number;
	/** Maximum number of recipients of a mail. */
	readonly maxRecipients: number;
	/** Time that a client may be silent, in milliseconds. */
	readonly idleTimeoutMs: number;
	/** Time that a stop waits for mail under way, in milliseconds. */
	readonly stopDeadlineMs: number;
	readonly auth: Omit<AuthenticationOptions, 'logins'> & {
		/** If true, AUTH requires TLS. */
		readonly needsTls: boolean;
	};
	/** Null without TLS. */
	readonly tls: SmtpTls | null;
};

/** Creates the options of the library: announcements, limits and hooks. */
export function createProtocol(options: ProtocolOptions, services: SmtpServices, log: Log): SMTPServerOptions {
	const authentication = new Authentication({...options.auth, logins: services.logins});
	return {
		name: options.name,
		heloResponse: '%s greets you',
		logger: false,
		hideENHANCEDSTATUSCODES: false,
		hideDSN: false,
		disableReverseLookup: true,
		// Without a certificate the handshake of clients would fail.
		disabledCommands: options.tls ? [] : ['STARTTLS'],
		allowInsecureAuth: !options.auth.needsTls,
		authMethods: ['PLAIN', 'LOGIN', 'CRAM-MD5', ...bearerMechanisms],
		authOptional: options.auth.loginPolicy === 'any',
		// The library counts the lines of AUTH as commands.
		maxAllowedUnauthenticatedCommands: Number.POSITIVE_INFINITY,
		authRequiredMessage: 'Authentication required: send AUTH first',
		// Odd addresses are accepted: tests want to see what an application sends.
		lenientAddressParsing: true,
		size: options.maxMessageSize,
		rejectOversized: true,
		maxRecipients: options.maxRecipients,
		socketTimeout: options.idleTimeoutMs,
		closeTimeout: options.stopDeadlineMs,
		onConnect: (_session, done) => done(),
		onSecure: (_socket, _session, done) => done(),
		...withFaults(createHooks(authentication, services, log)),
		onData(data, session, done) {
			storeMail(data, session, services, log).then(outcome => {
				if (outcome instanceof Refusal) {
					done(outcome);
				} else {
					SessionFaults.of(session).apply('end', outcome, refusal => done(refusal, 'Stored'));
				}
			});
		},
	};
}

function createHooks(authentication: Authentication, services: SmtpServices, log: Log) {
	return {
		onAuth(auth, session, done) {
			authentication.identify(auth, session.remoteAddress).then(
				user => done(null, {user}),
				(error: unknown) => done(refusalOf(error, session.id, log)),
			);
		},
		onMailFrom(sender, session, done) {
			const user = userOf(session);
			const refusal = dsnRefusal(sender);
			if (refusal || !user) {
				done(refusal);
				return;
			}

			authentication.assertValid(user).then(
				() => done(),
				(error: unknown) => done(refusalOf(error, session.id, log)),
			);
		},
		onRcptTo(recipient, session, done) {
			const {address} = recipient;
			const refusal = dsnRefusal(recipient);
			if (refusal) {
				done(refusal);
				return;
			}

			services.acceptRecipient(address, session.envelope, userOf(session)?.inboxId).then(
				accepted => done(accepted === 'later' ? tooManyRecipients : accepted ? null : unknownInbox(address)),
				(error: unknown) => done(refusalOf(error, session.id, log)),
			);
		},
	} satisfies SMTPServerOptions;
}

/**
 * Stores one mail. Returns the refusal, or the effect of a fault on the reply. Null means that no fault acted, or that the
 * client disconnected.
 */
async function storeMail(
	data: SMTPServerDataStream,
	session: SMTPServerSession,
	services: SmtpServices,
	log: Log,
): Promise<Refusal | FaultEffect | null> {
	const source = readMail(data);
	const {envelope: mail, id} = session;
	try {
		return await services.deliver(envelopeOf(mail), sessionOf(session), source, mail, userOf(session)?.inboxId);
	} catch (error) {
		const hasLeft = data.destroyed && !data.readableEnded;
		return error instanceof FaultRejection ? error.effect : hasLeft ? null : refusalOf(error, id, log);
	} finally {
		source.destroy();
	}
}

/**
 * Reads the mail of one DATA command. The stream of the library is not handed out: an intake that fails destroys its source, and
 * the library would then reply in the middle of the data.
 */
function readMail(data: SMTPServerDataStream): Readable {
	const source = new Readable({
		read: () => data.resume(),
		// The rest of the mail is dropped.
		destroy(error, callback) {
			data.resume();
			callback(error);
		},
	});
	data.on('data', chunk => {
		if (data.sizeExceeded) {
			source.destroy(new AppError('too_large', 'The mail exceeds the maximum message size.'));
		} else if (!source.destroyed && !source.push(chunk)) {
			data.pause();
		}
	});
	data.once('end', () => source.push(null));
	data.once('error', error => source.destroy(error));
	return source;
}

function unknownInbox(address: string): Refusal {
	return new Refusal(550, `<${address}>: no such inbox`);
}
