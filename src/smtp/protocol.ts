import type {SMTPServerDataStream, SMTPServerOptions, SMTPServerSession} from 'smtp-server';
import type {Envelope} from '../domain/message.js';
import type {Log} from '../lib/log.js';
import {admits} from './credentials.js';
import type {Intake} from './intake.js';
import {MailSource} from './mail-source.js';
import {Refusal, refusalOf} from './reply.js';
import type {SmtpServerOptions} from './server.js';

/** The library's settings: what it announces and limits, and what it asks us. */
export function createProtocol(options: SmtpServerOptions, intake: Intake, log: Log): SMTPServerOptions {
	/** Hands one mail over; null when it is kept, or when there is nobody left to tell. */
	const receive = async (data: SMTPServerDataStream, envelope: Envelope): Promise<Refusal | null> => {
		const source = new MailSource(data);
		try {
			await intake.deliver(envelope, source);
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
		// There is no certificate: clients would only be sent into a handshake that fails.
		disabledCommands: ['STARTTLS'],
		authMethods: ['PLAIN', 'LOGIN'],
		authOptional: options.credentials === null,
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
			done(null, admits(options.credentials, auth) ? {user: true} : {message: 'These credentials are not valid'});
		},
		onRcptTo({address}, _session, done) {
			intake.accepts(address).then(
				isTaken => done(isTaken ? null : new Refusal(550, `No inbox takes mail for <${address}>`)),
				(error: unknown) => done(refusalOf(error, log)),
			);
		},
		onData(data, session, done) {
			receive(data, envelopeOf(session)).then(refusal => done(refusal, 'Stored'));
		},
	};
}

function envelopeOf({envelope: {mailFrom, rcptTo}}: SMTPServerSession): Envelope {
	return {from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({address}) => address)};
}

/** Whether the client went away before the end of its mail, so that there is nobody to answer. */
function hasLeft(data: SMTPServerDataStream): boolean {
	return data.destroyed && !data.readableEnded;
}
