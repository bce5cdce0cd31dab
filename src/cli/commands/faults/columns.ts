import {describeFault} from '../../../client/fault-words.js';
import {describeEffect} from '../../../contract/descriptions.js';
import type {FaultBody, FaultHitBody} from '../../../contract/faults.js';
import {clockColumn, type TableColumn} from '../../output/table.js';
import {shownOfId} from './holder.js';

export const faultColumns: readonly TableColumn<FaultBody>[] = [
	{header: 'NAME', value: ({name}) => name ?? ''},
	{header: 'STAGE', value: ({stage}) => stage},
	{header: 'EFFECT', value: describeFault, flexible: true},
	{header: 'SEEN', value: ({seen}) => String(seen)},
	{header: 'HITS', value: ({hit_count}) => String(hit_count)},
	{header: 'ID', value: ({id}) => id, show: ({id}) => id.slice(-shownOfId)},
];

export const hitColumns: readonly TableColumn<FaultHitBody>[] = [
	clockColumn('TIME', ({time}) => time),
	{header: 'FAULT', value: ({name, fault_id}) => name ?? fault_id ?? 'address'},
	{header: 'CLIENT', value: ({client}) => client.host, show: ({client: {host, helo}}) => `${host} (${helo})`},
	{header: 'FROM', value: ({envelope, user}) => envelope.from ?? user ?? ''},
	{header: 'TO', value: ({envelope}) => envelope.to.join(','), flexible: true},
	{header: 'EFFECT', value: describeEffect, flexible: true},
];
