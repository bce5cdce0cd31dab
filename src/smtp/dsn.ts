import type {SMTPServerAddress, SMTPServerEnvelope} from 'smtp-server';
import type {Dsn, Envelope} from '../domain/mail/message.js';
import {Refusal} from './reply.js';

const badEnvelopeId = new Refusal(501, 'ENVID must have at most 100 printable ASCII characters');
const longOriginalRecipient = new Refusal(501, 'ORCPT must have at most 500 characters');

/** What is wrong with the parameters of RFC 3461, sections 4.2 and 4.4, of those that the library lets pass. */
export function dsnRefusal({args}: SMTPServerAddress): Refusal | null {
	const {ENVID: envid, ORCPT: orcpt} = args || {};
	if (typeof envid === 'string' && !/^[ -~]{1,100}$/.test(envid)) {
		return badEnvelopeId;
	}

	return typeof orcpt === 'string' && orcpt.length > 500 ? longOriginalRecipient : null;
}

/**
 * The envelope of a session, with what the client wants to be told of the delivery where it said so. That is read from the
 * commands that were taken: the library keeps what one said that was refused.
 */
export function envelopeOf({mailFrom, rcptTo}: SMTPServerEnvelope): Envelope {
	const {address: from, args} = mailFrom || {address: '', args: false};
	const {RET: ret, ENVID: envid} = args || {};
	const asking = rcptTo.filter(({dsn}) => dsn !== undefined);
	const to = rcptTo.map(({address}) => address);
	if (ret === undefined && envid === undefined && asking.length === 0) {
		return {from, to};
	}

	const dsn: Dsn = {
		...(typeof ret === 'string' && {ret: ret.toUpperCase() === 'FULL' ? 'FULL' : 'HDRS'}),
		...(typeof envid === 'string' && {envid}),
		...(asking.length > 0 && {recipients: Object.fromEntries(asking.map(wishOf))}),
	};
	return {from, to, dsn};
}

function wishOf({address, dsn: {notify, orcpt} = {}}: SMTPServerAddress) {
	return [address, {...(notify && {notify: [...new Set(notify)]}), ...(orcpt !== undefined && {orcpt})}] as const;
}
