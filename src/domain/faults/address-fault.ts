import {faultLimits} from '../../contract/constants.js';
import {parseDuration} from '../../lib/text/units.js';
import {canonicalAddress, domainCatchAll, untagged} from '../mail/address.js';
import {type FaultEffect, type FaultReply, readFaultReply} from './fault.js';

/** Fault that the tag of an address requests for its mail. */
export type AddressFault = {
	/** Name at the start of the tag. */
	readonly name: string;
	readonly stage: 'rcpt' | 'end';
	/** True if only the first of two attempts fails. */
	readonly isOnce: boolean;
	readonly effect: FaultEffect;
};

/** Request in the tag of an address: a fault, or a bounce after the mail was accepted. */
export type AddressRequest =
	| {readonly does: 'fault'; readonly fault: AddressFault}
	| {readonly does: 'bounce'; readonly reply: FaultReply}
	| {readonly does: 'complain'}
	| {readonly does: 'autoreply'};

const noEffect: FaultEffect = {faultId: null, reply: null, delayMs: 0, byteDelayMs: 0, drop: null};

const greylisted: FaultReply = {code: 451, enhanced: '4.7.1', text: 'Greylisted, try again later'};

const noSuchUser: FaultReply = {code: 550, enhanced: '5.1.1', text: 'No such user'};

/** Tags without parameters. */
const simpleTags: ReadonlyMap<string, AddressRequest> = new Map<string, AddressRequest>([
	['greylist', fault('greylist', {reply: greylisted}, {isOnce: true})],
	['drop', fault('drop', {drop: 'before'})],
	['drop-after-commit', fault('drop-after-commit', {drop: 'after_commit'}, {stage: 'end'})],
	['bounce', {does: 'bounce', reply: noSuchUser}],
	['complain', {does: 'complain'}],
	['autoreply', {does: 'autoreply'}],
]);

/**
 * Returns the request in the tag of an address that reaches the inbox at `inboxAddress`. Null if there is none, if the inbox has
 * the address including its tag, and for foreign addresses, whose mail reaches an inbox through its SMTP login.
 */
export function addressRequestOf(address: string, inboxAddress: string): AddressRequest | null {
	if (!address.includes('+')) {
		return null;
	}

	const canonical = canonicalAddress(address);
	const base = untagged(canonical);
	if (base === null || ![base, domainCatchAll(canonical), '*'].includes(canonicalAddress(inboxAddress))) {
		return null;
	}

	return requestOfTag(canonical.slice(canonical.indexOf('+') + 1, canonical.lastIndexOf('@')));
}

/** Parses a tag: `greylist`, `delay-5s`, `fail-451`, `fail-550-5.1.1`, `bounce+550+no+such+user`. */
function requestOfTag(tag: string): AddressRequest | null {
	const simple = simpleTags.get(tag);
	if (simple) {
		return simple;
	}

	const [, delay] = /^delay-([\d.]+[a-z]*)$/.exec(tag) ?? [];
	if (delay !== undefined) {
		const delayMs = parseDuration(delay) ?? 0;
		return delayMs > 0 && delayMs <= faultLimits.delayMs ? fault('delay', {delayMs}) : null;
	}

	const [, name, code, enhanced, text] =
		/^(fail|bounce)[-+](\d{3})(?:[-+](\d\.\d{1,3}\.\d{1,3})(?=\+|$))?(?:\+(.+))?$/.exec(tag) ?? [];
	const line = [code, enhanced, text?.replaceAll('+', ' ')].filter(Boolean).join(' ');
	const defaultText = `${name === 'fail' ? 'Fault' : 'Bounce'} requested by the recipient address`;
	const reply = line.length > faultLimits.replyLength ? undefined : readFaultReply(line, defaultText);
	if (!reply || reply.enhanced[0] !== String(reply.code)[0]) {
		return null;
	}

	return name === 'fail' ? fault('fail', {reply}) : {does: 'bounce', reply};
}

function fault(
	name: string,
	effect: Partial<FaultEffect>,
	{stage = 'rcpt', isOnce = false}: Partial<Pick<AddressFault, 'stage' | 'isOnce'>> = {},
): AddressRequest {
	return {does: 'fault', fault: {name, stage, isOnce, effect: {...noEffect, ...effect}}};
}
