import {faultLimits} from '../../contract/constants.js';
import {parseDuration} from '../../lib/text/units.js';
import {canonicalAddress, domainClaim, untagged} from '../mail/address.js';
import {type FaultEffect, type FaultReply, readFaultReply} from './fault.js';

/** A fault that an address asks for, for the mail to it. */
export type MagicFault = {
	/** What the tag begins with. */
	readonly name: string;
	readonly stage: 'rcpt' | 'end';
	/** Of two tries for the address the first one alone meets it. */
	readonly isOnce: boolean;
	readonly effect: FaultEffect;
};

/** What an address asks for: a fault, or what is to come back to the sender once its mail was taken. */
export type Magic =
	| {readonly does: 'fault'; readonly fault: MagicFault}
	| {readonly does: 'bounce'; readonly reply: FaultReply}
	| {readonly does: 'complain'}
	| {readonly does: 'autoreply'};

const unreplied: FaultEffect = {faultId: null, reply: null, delayMs: 0, byteDelayMs: 0, drop: null};

const greylisted: FaultReply = {code: 451, enhanced: '4.7.1', text: 'Greylisted, try again later'};

const noSuchUser: FaultReply = {code: 550, enhanced: '5.1.1', text: 'No such user'};

/** By the tags that are one word each. */
const words: ReadonlyMap<string, Magic> = new Map<string, Magic>([
	['greylist', fault('greylist', {reply: greylisted}, {isOnce: true})],
	['drop', fault('drop', {drop: 'before'})],
	['drop-after-commit', fault('drop-after-commit', {drop: 'after_commit'}, {stage: 'end'})],
	['bounce', {does: 'bounce', reply: noSuchUser}],
	['complain', {does: 'complain'}],
	['autoreply', {does: 'autoreply'}],
]);

/**
 * What the tag of an address asks for that an inbox has by this claim. Null when it asks for nothing, where the inbox claims the
 * address with its tag, and for addresses of others, whose mail comes to an inbox because its sender logged in as that.
 */
export function magicOf(address: string, claim: string): Magic | null {
	if (!address.includes('+')) {
		return null;
	}

	const canonical = canonicalAddress(address);
	const whole = untagged(canonical);
	if (whole === null || ![whole, domainClaim(canonical), '*'].includes(canonicalAddress(claim))) {
		return null;
	}

	return magicOfTag(canonical.slice(canonical.indexOf('+') + 1, canonical.lastIndexOf('@')));
}

/** `greylist`, `delay-5s`, `fail-451`, `fail-550-5.1.1`, `bounce+550+no+such+user` and the like. */
function magicOfTag(tag: string): Magic | null {
	const word = words.get(tag);
	if (word) {
		return word;
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
	{stage = 'rcpt', isOnce = false}: Partial<Pick<MagicFault, 'stage' | 'isOnce'>> = {},
): Magic {
	return {does: 'fault', fault: {name, stage, isOnce, effect: {...unreplied, ...effect}}};
}
