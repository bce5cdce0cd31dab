import {describeFault} from '../client/fault-words.js';
import {describeEffect, type FaultBody, type FaultHitBody} from '../contract/faults.js';
import type {InboxBody} from '../contract/inboxes.js';
import {formatDuration} from '../lib/units.js';
import type {Facts} from './facts.js';

/** The row that stands for the hits of all faults, and of addresses that ask for one; no fault has such an id. */
export const anyFault = {id: 'any fault'} as const;

export type FaultRow = FaultBody | typeof anyFault;

/** Whether the row stands for one fault, and not for all hits. */
export function isFault(row: FaultRow): row is FaultBody {
	return row !== anyFault;
}

/** Whose faults they are: the inbox's, or the daemon's. */
export function faultsTitle(inbox: Pick<InboxBody, 'name' | 'email_address'> | undefined): string {
	return inbox === undefined ? 'Faults of the daemon' : `Faults of ${inbox.name ?? inbox.email_address}`;
}

/** How a fault is made for the inbox, or (null) for the daemon. */
export function faultCommand(inbox: string | null): string {
	return `tinbox faults add ${inbox === null ? '--daemon tls-fail' : `${inbox} greylist`}`;
}

/** How often a fault acted, of how often it was asked. */
export function timesActed({hit_count: hits, seen}: FaultBody): string {
	return `${hits} of ${seen}`;
}

/** How often a fault will still act, in words; `''` when that has no end, or each recipient or message has its own count. */
export function timesLeft({times, per, hit_count: hits}: FaultBody): string {
	return times === null || per !== null ? '' : hits < times ? `${times - hits} left` : 'over';
}

/** What a fault is asked about before it is deleted. */
export function faultQuestion({id, name}: Pick<FaultBody, 'id' | 'name'>): string {
	return `Delete the fault "${name ?? id}"?`;
}

/** Who the client of a hit was, as far as it said so. */
export function hitSender({envelope, user, client}: FaultHitBody): string {
	return envelope.from ?? user ?? client.host;
}

/** What the client of a hit was told. */
export function hitReply(hit: FaultHitBody): string {
	return hit.reply ?? describeEffect(hit);
}

export function hitFacts(hit: FaultHitBody): Facts {
	const {name, fault_id: faultId, time, stage, client, user, envelope, delay_ms: delay, message_id: message} = hit;
	return {
		Hit: describeEffect(hit),
		Time: new Date(time).toLocaleString('sv'),
		Fault: faultId === null ? 'asked for by the address' : (name ?? faultId),
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
	const {id, name, stage, expires_at: end, created_at: start} = fault;
	const left = timesLeft(fault);
	return {
		Fault: name,
		Stage: stage,
		Does: describeFault(fault),
		Hits: `${timesActed(fault)} that it saw${left === '' ? '' : `, ${left}`}`,
		Made: new Date(start).toLocaleString('sv'),
		Ends: end && new Date(end).toLocaleString('sv'),
		Id: id,
	};
}
