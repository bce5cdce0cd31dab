import {createTransport} from 'nodemailer';
import type {SendMail} from '../domain/bounce.js';
import {AppError, invalidField} from '../domain/errors.js';
import type {TargetPolicy} from '../domain/target.js';
import {causeOf} from '../lib/errors.js';
import {withoutBrackets} from '../lib/hosts.js';
import type {Names} from './names.js';

export type MailSenderOptions = {
	readonly allows: TargetPolicy;
	readonly names: Names;
	/** The name by which it greets. */
	readonly host: string;
	/** For a mail as a whole. */
	readonly timeoutMs?: number;
};

const defaultPorts: Readonly<Record<string, number>> = {'smtp:': 25, 'smtps:': 465};

/** Sends one mail over a connection of its own. As mail servers do, it uses TLS where that is offered, and trusts any certificate. */
export function createMailSender({allows, names, host, timeoutMs = 15_000}: MailSenderOptions): SendMail {
	return async ({userId, to, recipient, source}) => {
		const {protocol, hostname, port} = new URL(to);
		const signal = AbortSignal.timeout(timeoutMs);
		const name = withoutBrackets(hostname);
		const found = await names.find({userId, hostname: name, signal}).catch(error => {
			throw new AppError('undelivered', `${to} is not found: ${causeOf(error)}.`);
		});
		const forbidden = found.find(({address}) => !allows(address));
		if (forbidden) {
			throw invalidField(
				'to',
				`leads to ${forbidden.address}, but bounces are sent only to what is local, while the API listens on loopback, and to what --webhook-allow names`,
			);
		}

		const transport = createTransport({
			// The address that was checked.
			host: found[0]?.address ?? '',
			port: Number(port) || (defaultPorts[protocol] ?? 0),
			secure: protocol === 'smtps:',
			name: host,
			tls: {rejectUnauthorized: false, ...(name !== found[0]?.address && {servername: name})},
			connectionTimeout: timeoutMs,
			greetingTimeout: timeoutMs,
			socketTimeout: timeoutMs,
		});
		const sent = transport.sendMail({envelope: {from: '', to: [recipient]}, raw: source});
		try {
			await Promise.race([sent, aborted(signal)]);
		} catch (error) {
			throw new AppError('undelivered', `${to} did not take the mail: ${whyNot(error)}.`);
		} finally {
			transport.close();
		}
	};
}

async function aborted(signal: AbortSignal): Promise<never> {
	return new Promise((_resolve, reject) => {
		signal.addEventListener('abort', () => reject(new Error('it took too long')), {once: true});
	});
}

/** In the words of the server, where it said any. */
function whyNot(error: unknown): string {
	const response = error instanceof Error && 'response' in error ? String(error.response) : causeOf(error);
	return response.slice(0, 500).replace(/\.$/, '');
}
