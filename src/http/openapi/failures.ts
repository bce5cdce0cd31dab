import {methodAndPath, type Operation} from '../operation.js';
import {type ProblemCode, statusOf} from '../problem.js';

/** Whatever is asked can fail with these: the request is no proper one, or the daemon cannot serve. */
const ofAll: readonly ProblemCode[] = [
	'malformed',
	'foreign_origin',
	'timed_out',
	'expectation_failed',
	'foreign_host',
	'limit_reached',
	'header_too_large',
	'internal',
	'stopping',
	'unavailable',
];

/** With what an operation can fail: the codes by their status, in order. */
export function failuresOf(operation: Operation): ReadonlyMap<number, readonly ProblemCode[]> {
	const {caller, query, body, upload, errors = []} = operation;
	const {method, path} = methodAndPath(operation);
	const codes: readonly ProblemCode[] = [
		...ofAll,
		...(query || body ? (['invalid_input'] as const) : []),
		...(body || upload ? (['too_large', 'unsupported_media_type'] as const) : []),
		...(caller === 'anybody' ? [] : (['unauthorized'] as const)),
		...(caller === 'local' ? (['forbidden'] as const) : []),
		...(path.includes('/:') ? (['not_found'] as const) : []),
		...(path.includes('/:messageId') ? (['ambiguous'] as const) : []),
		...(method === 'GET' ? [] : (['storage_full'] as const)),
		...errors,
	];
	const byStatus = new Map<number, readonly ProblemCode[]>();
	for (const code of [...new Set(codes)].sort((a, b) => statusOf[a] - statusOf[b])) {
		byStatus.set(statusOf[code], [...(byStatus.get(statusOf[code]) ?? []), code]);
	}

	return byStatus;
}
