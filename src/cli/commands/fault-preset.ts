import {inboxFaultStages} from '../../contract/constants.js';
import {presetFault, presetNames} from '../../contract/fault-presets.js';
import type {CreateFault} from '../../contract/faults.js';
import {usageError} from '../output/exit.js';

/** What to create for the name of a preset. */
export function presetOf(name: string): CreateFault {
	const fault = presetFault(name);
	if (!fault) {
		throw usageError(
			`There is no preset "${name}".`,
			`The presets are ${presetNames.join(', ')}. See: tinbox help faults`,
		);
	}

	return fault;
}

/** The same for several, which are for an inbox. */
export function inboxPresetsOf(names: readonly string[]): readonly CreateFault[] {
	return names.map(name => {
		const fault = presetOf(name);
		assertForInbox(fault, name);
		return fault;
	});
}

/** Refuses a fault that an inbox cannot have; `words` are what a line for the whole daemon has after `--daemon`. */
export function assertForInbox({stage}: CreateFault, words: string): void {
	if (!inboxFaultStages.some(known => known === stage)) {
		throw usageError(
			`An inbox cannot have faults at the stage "${stage}": the inbox of a connection is unknown until the client logs in or names a recipient.`,
			`To add the fault for all connections: tinbox faults add --daemon ${words}`,
		);
	}
}
