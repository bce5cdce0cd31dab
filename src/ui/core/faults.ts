import {describeFault} from '../../client/faults.js';
import {describeEffect} from '../../contract/descriptions.js';
import type {FaultBody, FaultHitBody} from '../../contract/faults.js';
import type {InboxBody} from '../../contract/inboxes.js';
import {formatDuration} from '../../lib/text/units.js';
import type {Facts} from './format.js';

/** Row for the hits of all faults and of fault addresses. No fault has this id. */
export const anyFault = {id: 'any fault'} as const;

export type FaultRow = FaultBody | typeof anyFault;

/** True for the row of a fault, false for the row of all hits. */
export function isFault(row: FaultRow): row is FaultBody {
	return row !== anyFault;
}

/** Title of the list of faults of an inbox, or (undefined) of the daemon. */
export function faultsTitle(inbox: Pick<InboxBody, 'name' | 'email_address'> | undefined): string {
	return inbox === undefined ? 'Faults for the daemon' : `Faults for ${inbox.name ?? inbox.email_address}`;
}

/** Example of a command that adds a fault to an inbox, or (null) to the daemon. */
export function faultCommand(inbox: string | null): string {
	return `tinbox faults add ${inbox === null ? '--daemon tls-fail' : `${inbox} greylist`}`;
}

/** Number of hits and of matches, as in `Hit 1 of 3`. */
export function timesActed({hit_count: hits, seen}: FaultBody): string {
	return `Hit ${hits} of ${seen}`;
}

/** Number of remaining hits; undefined without a limit, or with one per recipient or message. */
export function remainingHits({times, per, hit_count: hits}: FaultBody): number | undefined {
	return times === null || per !== null ? undefined : Math.max(0, times - hits);
}

/** Remaining hits, as in `2 hits left`; `''` without a limit. */
export function timesLeft(fault: FaultBody): string {
	const remaining = remainingHits(fault);
	return remaining === undefined
		? ''
		: `${remaining === 0 ? 'no' : remaining} ${remaining === 1 ? 'hit' : 'hits'} left`;
}

/** Question before a fault is deleted. */
export function faultQuestion({id, name}: Pick<FaultBody, 'id' | 'name'>): string {
	return `Delete the fault "${name ?? id}"?`;
}

/** Sender, user or host of a hit: the first one that is known. */
export function hitSender({envelope, user, client}: FaultHitBody): string {
	return envelope.from ?? user ?? client.host;
}

/** Reply that the client received, or the effect of a hit without a reply. */
export function hitReply(hit: FaultHitBody): string {
	return hit.reply ?? describeEffect(hit);
}

export function hitFacts(hit: FaultHitBody): Facts {
	const {name, fault_id: faultId, time, stage, client, user, envelope, delay_ms: delay, message_id: message} = hit;
	return {
		Effect: describeEffect(hit),
		Time: new Date(time).toLocaleString('sv'),
		Fault: faultId === null ? 'fault address' : (name ?? faultId),
		Stage: stage,
		Client: client.helo === null ? client.host : `${client.host} (${client.helo})`,
		User: user,
		From: envelope.from === '' ? '<>' : envelope.from,
		To: envelope.to.join(', '),
		Delay: delay === 0 ? null : formatDuration(delay),
		Message: message,
	};
}

export function faultFacts(fault: FaultBody): Facts {
	const {id, name, stage, hit_count: hits, seen, expires_at: end, created_at: start} = fault;
	const remaining = timesLeft(fault);
	return {
		Fault: name,
		Stage: stage,
		Effect: describeFault(fault),
		Hits: `${hits} of ${seen} ${seen === 1 ? 'match' : 'matches'}${remaining === '' ? '' : `, ${remaining}`}`,
		Created: new Date(start).toLocaleString('sv'),
		Expires: end && new Date(end).toLocaleString('sv'),
		ID: id,
	};
}
