import type {Command} from 'commander';
import {maxBounceDelayMs} from '../../contract/constants.js';
import type {CreateInbox} from '../../contract/inboxes.js';
import {durationOption} from '../options.js';
import {usageError} from '../output/exit.js';

/** Flags for the automatic bounces of an inbox. */
export type BounceFlags = {
	/** A status; false takes it away. */
	readonly bounce?: string | false;
	/** Milliseconds. */
	readonly bounceAfter?: number;
	readonly simulator?: boolean;
};

export function addBounceFlags(command: Command): Command {
	return command
		.option('--bounce <status>', 'bounce each message with this status, such as 5.1.1')
		.addOption(durationOption('--bounce-after <duration>', 'delay of the bounce', {maxMs: maxBounceDelayMs}))
		.option('--simulator', 'treat bounce@, complaint@ and ooto@ like the Amazon SES simulator');
}

/** The fields of an inbox that these flags give. */
export function givenBounces({
	bounce: status,
	bounceAfter,
	simulator,
}: BounceFlags): Pick<CreateInbox, 'bounce' | 'simulator'> {
	if (bounceAfter !== undefined && typeof status !== 'string') {
		throw usageError('--bounce-after needs --bounce.', 'Add the status, as in --bounce 5.1.1.');
	}

	const bounce = typeof status === 'string' ? {status, delay_ms: bounceAfter} : status === false ? null : undefined;
	return {bounce, simulator};
}
