import type {DaemonSettings} from '../config/settings.js';
import {smtpsPortOf} from '../config/smtps-port.js';
import type {Services} from '../http/services.js';
import type {AddressFaults} from '../services/faults/engine.js';
import type {Recipients} from '../services/messages/recipients.js';
import {createSmtpServer, type SmtpServer} from '../smtp/server.js';
import type {DaemonLimits} from './limits.js';
import type {Resources} from './resources.js';

/** Of the SMTP listener. A client has as long for one mail as RFC 5321, section 4.5.3.2, gives it for the whole of DATA. */
const smtpLimits = {
	maxRecipients: 100,
	idleTimeoutMs: 5 * 60_000,
	sessionDeadlineMs: 10 * 60_000,
	handshakeDeadlineMs: 15_000,
	stopDeadlineMs: 10_000,
};

/** The listener that the settings describe, and what it asks the services. */
export function createSmtp(
	settings: DaemonSettings,
	limits: DaemonLimits,
	{
		messages,
		refusals,
		logins,
		recipients,
		faults,
	}: Pick<Services, 'messages' | 'refusals' | 'logins'> & {
		readonly recipients: Recipients;
		readonly faults: Pick<AddressFaults, 'mayAct' | 'evaluate'>;
	},
	{certificates, now, log}: Resources,
): SmtpServer {
	const {host, smtpPort, domain, maxMessageSize, smtpAuth} = settings;
	const auth = {others: smtpAuth, oauth: settings.smtpOauth, needsTls: settings.authNeedsTls, now};
	const port = smtpsPortOf(settings);
	const tls =
		certificates && port !== undefined && settings.tls !== 'off' ? {mode: settings.tls, port, certificates} : null;
	const options = {host, port: smtpPort, tls, name: domain, maxMessageSize, auth, limits: limits.smtp};
	return createSmtpServer(
		{...smtpLimits, ...options},
		{
			accepts: (...of) => messages.accepts(...of),
			deliver: (...mail) => messages.deliver(...mail),
			faults: {
				mayAct: (...at) => faults.mayAct(...at),
				evaluate: occasion => faults.evaluate(occasion),
				inboxesOf: (...of) => recipients.inboxIds(...of),
			},
			logins,
			refused: refused => refusals.add(refused),
		},
		log,
	);
}
