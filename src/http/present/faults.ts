import type {Page} from '../../contract/constants.js';
import type {FaultBody, FaultHitBody, FaultHitListBody} from '../../contract/faults.js';
import type {CountedFault, FaultHit} from '../../domain/faults/fault.js';

export function faultBody({fault, seen, acted}: CountedFault): FaultBody {
	const {inboxId, delayMs, byteDelayMs, ttlSeconds, expiresAt, createdAt, ...others} = fault;
	return {
		...others,
		inbox_id: inboxId,
		delay_ms: delayMs,
		byte_delay_ms: byteDelayMs,
		ttl: ttlSeconds,
		expires_at: expiresAt,
		created_at: createdAt,
		seen,
		hit_count: acted,
	};
}

export function faultHitBody({faultId, inboxId, delayMs, messageId, ...others}: FaultHit): FaultHitBody {
	return {...others, fault_id: faultId, inbox_id: inboxId, delay_ms: delayMs, message_id: messageId};
}

export function faultHitListBody(
	{rows, total}: {readonly rows: readonly FaultHit[]; readonly total: number},
	{page, limit}: Page,
): FaultHitListBody {
	return {hits: rows.map(faultHitBody), total, page, limit};
}
