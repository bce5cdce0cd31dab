import {randomBytes} from 'node:crypto';
import type {SendRequest} from '../provider.js';
import {mailgunError} from './errors.js';

/** A Message-ID as Mailgun gives it: when it came, and the domain of the request. Throws for what is no domain. */
export function newMailgunId({params, now}: Pick<SendRequest, 'params' | 'now'>): string {
	const {domain = ''} = params;
	if (!/^[\p{L}\p{N}._-]{1,255}$/u.test(domain)) {
		throw mailgunError(`Domain not found: ${domain.slice(0, 255)}`, 404);
	}

	const time = now.toISOString().replace(/\D/g, '').slice(0, 14);
	return `<${time}.${randomBytes(8).toString('hex')}@${domain}>`;
}
