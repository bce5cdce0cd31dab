import {Exit, exitCodes} from './exit.js';
import type {Server} from './smtp-client.js';

/** SMTP replies that say the mailbox is unavailable, most often because no inbox has the address. */
const unavailable = 550;

/** Why a mail was not taken, in the server's words, or that nobody answered. */
export function explainSmtpError(error: unknown, {host, port}: Server): unknown {
	if (!(error instanceof Error)) {
		return error;
	}

	if (!('responseCode' in error) || error.responseCode === undefined) {
		return new Exit(exitCodes.noDaemon, 'no_daemon', `SMTP at ${host}:${port} does not answer: ${error.message}.`, {
			hint: 'See where the daemon listens: tinbox daemon status',
		});
	}

	return error.responseCode === unavailable
		? new Exit(exitCodes.notFound, 'refused', error.message, {
				hint: 'See which inboxes there are: tinbox inbox list --all',
			})
		: new Exit(exitCodes.failed, 'refused', error.message);
}
