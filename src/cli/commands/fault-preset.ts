import {inboxFaultStages} from '../../contract/constants.js';
import {presetFault, presetNames} from '../../contract/fault-presets.js';
import type {CreateFault} from '../../contract/faults.js';
import {usageError} from '../output/exit.js';

/** Fault of a preset. Throws a usage error for an unknown name. */
export function readPreset(name: string): CreateFault {
	const fault = presetFault(name);
	if (!fault) {
		throw usageError(
			`There is no preset "${name}".`,
			`The presets are ${presetNames.join(', ')}. See: tinbox help faults`,
		);
	}

	return fault;
}

/** Faults of presets for an inbox. Throws a usage error if a name is unknown, or an inbox cannot have the fault. */
export function readInboxPresets(names: readonly string[]): readonly CreateFault[] {
	return names.map(name => {
		const fault = readPreset(name);
		assertForInbox(fault, name);
		return fault;
	});
}

/** Throws a usage error if an inbox cannot have the fault. `commandArguments` are the arguments after `--daemon` in the hint. */
export function assertForInbox({stage}: CreateFault, commandArguments: string): void {
	if (!inboxFaultStages.some(allowed => allowed === stage)) {
		throw usageError(
			`An inbox cannot have faults at the stage "${stage}": the inbox of a connection is unknown until the client logs in or names a recipient.`,
			`To add the fault for all connections: tinbox faults add --daemon ${commandArguments}`,
		);
	}
}
