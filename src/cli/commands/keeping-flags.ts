import {type Command, InvalidArgumentError, Option} from 'commander';
import {countOrAll, durationOrEver, type Kind, unbounded} from '../../config/kinds.js';
import type {CreateInbox} from '../../contract/inboxes.js';

/** Value for the default of the daemon. */
const byDefault = 'default';

/** 0 is no bound. */
type Bound = number | typeof byDefault;

/** What an inbox keeps, as flags say it. */
export type KeepingFlags = {
	readonly keep?: Bound;
	/** Milliseconds. */
	readonly keepFor?: Bound;
};

export function addKeepingFlags(command: Command): Command {
	const {keep, keepFor} = unbounded;
	const keepHelp = `keep only the newest <number> messages; also "${keep}" or "${byDefault}"`;
	const keepForHelp = `delete messages after this time; also "${keepFor}" or "${byDefault}"`;
	return command
		.addOption(boundOption('--keep <number>', keepHelp, countOrAll))
		.addOption(boundOption('--keep-for <duration>', keepForHelp, durationOrEver));
}

/** The fields of an inbox that these flags give. */
export function givenKeeping({keep, keepFor}: KeepingFlags): Pick<CreateInbox, 'keep' | 'keep_for'> {
	return {
		keep: keep === byDefault ? null : keep,
		keep_for: keepFor === byDefault ? null : keepFor && Math.ceil(keepFor / 1000),
	};
}

function boundOption(flags: string, description: string, kind: Kind<number | null>): Option {
	return new Option(flags, description).argParser((text: string): Bound => {
		const bound = text === byDefault ? text : kind.parse(text);
		if (bound === undefined) {
			throw new InvalidArgumentError(`It must be ${kind.expects}, or "${byDefault}" for the setting of the daemon.`);
		}

		return bound ?? 0;
	});
}
