import type {Command} from 'commander';
import {maxBounceDelayMs} from '../../contract/bounces.js';
import type {CreateInbox} from '../../contract/inboxes.js';
import {durationOption} from '../options.js';
import {usageError} from '../output/exit.js';

/** What an inbox has come back by itself, as flags say it. */
export type BounceFlags = {
	/** A status; false takes it away. */
	readonly bounce?: string | false;
	/** Milliseconds. */
	readonly bounceAfter?: number;
	readonly simulator?: boolean;
};

export function addBounceFlags(command: Command): Command {
	return command
		.option('--bounce <status>', 'have a bounce with this status, as 5.1.1, come back for each mail')
		.addOption(
			durationOption('--bounce-after <duration>', 'have it come so long after the mail', {maxMs: maxBounceDelayMs}),
		)
		.option(
			'--simulator',
			'have addresses as bounce@, complaint@ and ooto@ do what they do in the simulator of Amazon SES',
		);
}

/** The fields of an inbox that these flags give. */
export function givenBounces({
	bounce: status,
	bounceAfter,
	simulator,
}: BounceFlags): Pick<CreateInbox, 'bounce' | 'simulator'> {
	if (bounceAfter !== undefined && typeof status !== 'string') {
		throw usageError('--bounce-after says when a bounce comes.', 'Say which with --bounce, as in --bounce 5.1.1.');
	}

	const bounce = typeof status === 'string' ? {status, delay_ms: bounceAfter} : status === false ? null : undefined;
	return {bounce, simulator};
}
