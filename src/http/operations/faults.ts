import {
	createFaultSchema,
	faultHitListSchema,
	faultListSchema,
	faultSchema,
	listFaultHitsSchema,
} from '../../contract/faults.js';
import type {Operation} from '../operation.js';

const hits =
	'The newest hit is listed first. With `wait`, the request is held open until there are `count` hits or the time is over.';

/** Owner of faults: its part of operation ids, its name in sentences, and its argument of CLI commands. */
type Owner = {readonly prefix: '' | 'Inbox'; readonly name: string; readonly argument: string};

/** Operations for the faults of an inbox or of the daemon. */
function faultsBelow<const Base extends '/inboxes/:inboxId/faults' | '/faults', const Caller extends 'key' | 'local'>(
	base: Base,
	caller: Caller,
	{prefix, name, argument}: Owner,
) {
	return {
		create: {
			at: `POST ${base}`,
			id: `create${prefix}Fault`,
			summary: `Create a fault of ${name}`,
			description: 'A fault makes mail fail on purpose. `tinbox help faults` explains the stages and the effects.',
			caller,
			body: createFaultSchema,
			example: {stage: 'rcpt', reply: '451 4.7.1 Try again later', times: 2},
			command: `tinbox faults add ${argument} greylist`,
			status: 201,
			answer: faultSchema,
			errors: ['too_many_faults'],
			created: 'faultId',
		},
		list: {
			at: `GET ${base}`,
			id: `list${prefix}Faults`,
			summary: `List the faults of ${name}`,
			description: 'Faults are checked in this order, the oldest first. The first one that matches acts.',
			caller,
			command: `tinbox faults list ${argument}`,
			answer: faultListSchema,
			ids: {faultId: 'faults/0/id'},
		},
		deleteAll: {
			at: `DELETE ${base}`,
			id: `delete${prefix}Faults`,
			summary: `Delete all faults of ${name}`,
			caller,
			command: `tinbox faults clear ${argument}`,
		},
		allHits: {
			at: `GET ${base}/hits`,
			id: `list${prefix}FaultHits`,
			summary: `List the fault hits of ${name}`,
			description: hits,
			caller,
			query: listFaultHitsSchema,
			command: `tinbox faults hits ${argument}`,
			answer: faultHitListSchema,
			errors: ['limit_reached'],
		},
		hits: {
			at: `GET ${base}/:faultId/hits`,
			id: `list${prefix}HitsOfFault`,
			summary: `List the hits of one ${prefix === '' ? 'daemon' : 'inbox'} fault`,
			description: hits,
			caller,
			query: listFaultHitsSchema,
			answer: faultHitListSchema,
			errors: ['limit_reached'],
		},
		get: {
			at: `GET ${base}/:faultId`,
			id: `get${prefix}Fault`,
			summary: `Get a fault of ${name}`,
			caller,
			answer: faultSchema,
		},
		delete: {
			at: `DELETE ${base}/:faultId`,
			id: `delete${prefix}Fault`,
			summary: `Delete a fault of ${name}`,
			caller,
		},
	} as const satisfies Readonly<Record<string, Operation>>;
}

export const faultOperations = {
	ofInbox: faultsBelow('/inboxes/:inboxId/faults', 'key', {prefix: 'Inbox', name: 'an inbox', argument: 'signup'}),
	ofDaemon: faultsBelow('/faults', 'local', {prefix: '', name: 'the daemon', argument: '--daemon'}),
};
