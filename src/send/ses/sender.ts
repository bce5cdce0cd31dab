import type {NamedAddress} from '../provider.js';
import {readAddress} from './addresses.js';
import {unverifiedIdentity} from './problems.js';

/** Whom a mail is from. Nobody can have the domain by which Nodemailer's `verify` asks (RFC 6761, section 6.4). */
export function readSesSender(text: string, region: string): NamedAddress {
	const sender = readAddress(text);
	if (/@invalid$/i.test(sender.address)) {
		throw unverifiedIdentity(sender.address, region);
	}

	return sender;
}
