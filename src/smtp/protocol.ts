import type {Readable} from 'node:stream';
import type {SMTPServerDataStream, SMTPServerOptions, SMTPServerSession} from 'smtp-server';
import type {FaultEffect} from '../domain/faults/fault.js';
import type {Envelope, Session} from '../domain/mail/message.js';
import type {Log} from '../lib/log.js';
import {FaultRejection} from '../services/faults/engine.js';
import type {NewRefusal} from '../services/refusals.js';
import {Authentication, type AuthenticationOptions} from './authentication.js';
import {bearerMechanisms} from './bearer.js';
import {dsnRefusal, envelopeOf} from './dsn.js';
import {FaultyConnection, type SmtpFaults} from './faulty-connection.js';
import {createFaultyHooks} from './faulty-hooks.js';
import {MailSource} from './mail-source.js';
import {Refusal, refusalOf, tooManyRecipients} from './reply.js';
import {sessionOf, userOf} from './session.js';
import type {SmtpTls} from './tls-connection.js';

/** Where mail goes. What is refused is an `AppError`; anything else that is thrown is a bug and answered with 451. */
export type Intake = {
	/**
	 * Whether somebody takes mail for the address; `later` when that is to be in another mail, since this one has too many
	 * recipients. `mail` is the same for all of one mail. `inboxId` is the inbox that the client logged in as, if it did.
	 */
	accepts(address: string, mail: object, inboxId?: string): Promise<boolean | 'later'>;
	/**
	 * Keeps the mail: once it resolved, the sender may forget it (RFC 5321, section 6.1). The source fails when the
	 * client leaves before the end, or with `too_large`; whatever is left of it when this rejects is read and dropped.
	 * Resolves to what a fault does to the answer, if one does, and throws `Faulted` where one refuses the mail.
	 */
	deliver(
		envelope: Envelope,
		session: Session,
		source: Readable,
		mail: object,
		inboxId?: string,
	): Promise<FaultEffect | null>;
	/** What goes wrong on purpose before that. */
	readonly faults: SmtpFaults;
	/** What is known of inboxes that log in. */
	readonly logins: AuthenticationOptions['logins'];
	/** Is told what was refused, and of connections that failed. */
	refused(refused: NewRefusal): void;
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
	readonly auth: Omit<AuthenticationOptions, 'logins'> & {
		/** AUTH is announced and taken under TLS only. */
		readonly needsTls: boolean;
	};
	/** Null where all mail comes in the clear. */
	readonly tls: SmtpTls | null;
};

/** The library's settings: what it announces and limits, and what it asks us. */
export function createProtocol(options: ProtocolOptions, intake: Intake, log: Log): SMTPServerOptions {
	/** Hands one mail over. Null when it is kept, or when there is nobody left to tell, and what a fault does in either case. */
	const receive = async (
		data: SMTPServerDataStream,
		session: SMTPServerSession,
	): Promise<Refusal | FaultEffect | null> => {
		const source = new MailSource(data);
		try {
			const envelope = envelopeOf(session.envelope);
			return await intake.deliver(envelope, sessionOf(session), source, session.envelope, userOf(session)?.inboxId);
		} catch (error) {
			return error instanceof FaultRejection ? error.effect : hasLeft(data) ? null : refusalOf(error, session.id, log);
		} finally {
			source.destroy();
		}
	};
	const authentication = new Authentication({...options.auth, logins: intake.logins});
	return {
		name: options.name,
		heloResponse: '%s greets you',
		logger: false,
		hideENHANCEDSTATUSCODES: false,
		hideDSN: false,
		disableReverseLookup: true,
		// Without a certificate clients would only be sent into a handshake that fails.
		disabledCommands: options.tls ? [] : ['STARTTLS'],
		allowInsecureAuth: !options.auth.needsTls,
		authMethods: ['PLAIN', 'LOGIN', 'CRAM-MD5', ...bearerMechanisms],
		authOptional: options.auth.others === 'any',
		// The lines of AUTH would count.
		maxAllowedUnauthenticatedCommands: Number.POSITIVE_INFINITY,
		authRequiredMessage: 'Authentication required: send AUTH first',
		// What an application sends is there to be looked at, odd addresses too.
		lenientAddressParsing: true,
		size: options.maxMessageSize,
		rejectOversized: true,
		maxRecipients: options.maxRecipients,
		socketTimeout: options.idleTimeoutMs,
		closeTimeout: options.stopDeadlineMs,
		onConnect: (_session, done) => done(),
		onSecure: (_socket, _session, done) => done(),
		...createFaultyHooks({
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

				authentication.assertHolds(user).then(
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

				intake.accepts(address, session.envelope, userOf(session)?.inboxId).then(
					isTaken => done(isTaken === 'later' ? tooManyRecipients : isTaken ? null : nobody(address)),
					(error: unknown) => done(refusalOf(error, session.id, log)),
				);
			},
		}),
		onData(data, session, done) {
			receive(data, session).then(outcome => {
				if (outcome instanceof Refusal) {
					done(outcome);
				} else {
					FaultyConnection.of(session).undergo('end', outcome, refusal => done(refusal, 'Stored'));
				}
			});
		},
	};
}

function nobody(address: string): Refusal {
	return new Refusal(550, `<${address}>: no such inbox`);
}

/** Whether the client went away before the end of its mail, so that there is nobody to answer. */
function hasLeft(data: SMTPServerDataStream): boolean {
	return data.destroyed && !data.readableEnded;
}
