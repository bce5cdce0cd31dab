import type {NodeBody} from '../../../contract/daemon.js';
import type {DaemonState} from '../../../runtime/state-file.js';
import {localOperator} from '../../connect/operator.js';
import type {Context} from '../../context.js';
import type {JsonFields} from '../../options.js';
import {printJsonList} from '../../output/print.js';
import {printTable, type TableColumn, timeColumn} from '../../output/table.js';

const columns: readonly TableColumn<NodeBody>[] = [
	{header: 'NODE', value: node => node.name, flexible: true},
	{header: 'ADDRESS', value: node => node.address, flexible: true},
	{header: 'STATE', value: node => node.state},
	timeColumn('HEARTBEAT', node => node.heartbeat_at),
	timeColumn('SINCE', node => node.since),
	{header: 'WAITS', value: node => String(node.waits)},
	{header: 'SESSIONS', value: node => String(node.sessions)},
	{header: 'VERSION', value: node => node.version, optional: true},
	{header: 'ID', value: node => node.id, optional: true},
];

/** Prints the nodes that share with the daemon what it keeps. */
export async function printNodes(context: Context, state: DaemonState, json: JsonFields): Promise<void> {
	const body = await localOperator(state).nodes.list();
	if (json) {
		printJsonList(context.io, body, body.nodes, json);
	} else {
		await printTable(context, columns, body.nodes);
	}
}
