import {type Command, InvalidArgumentError, Option} from 'commander';
import {type FaultDrop, type FaultStage, faultDrops, faultLimits, faultStages} from '../../../contract/constants.js';
import {presetNames} from '../../../contract/fault-presets.js';
import type {CreateFault} from '../../../contract/faults.js';
import {formatDuration, parseDuration} from '../../../lib/text/units.js';
import {countOption, durationOption, lifetime} from '../../options.js';
import {usageError} from '../../output/exit.js';

export type FaultFlags = {
	readonly stage?: FaultStage;
	readonly reply?: string;
	readonly times?: number;
	readonly after?: number;
	readonly per?: 'recipient' | 'message';
	/** Milliseconds. */
	readonly delay?: number;
	/** Milliseconds. */
	readonly byteDelay?: number;
	readonly drop?: FaultDrop;
	readonly rate?: CreateFault['rate'];
	readonly probability?: number;
	readonly seed?: number;
	/** Milliseconds. */
	readonly ttl?: number;
	readonly from?: string;
	readonly to?: string;
	readonly subject?: string;
	readonly user?: string;
	readonly name?: string;
};

/** Gives a command a flag for each field of a fault. */
export function addFaultFlags(command: Command): Command {
	return command
		.addOption(new Option('--stage <stage>', 'stage of the SMTP session').choices(faultStages))
		.option('--reply <reply>', 'reply to the client, such as "451 4.7.1 Try again later"')
		.addOption(countOption('--times <number>', 'stop after this many hits'))
		.addOption(countOption('--after <number>', 'skip the first <number> matches'))
		.addOption(
			new Option('--per <what>', 'count per recipient (stage rcpt) or per message (stage end)').choices([
				'recipient',
				'message',
			]),
		)
		.addOption(durationOption('--delay <duration>', 'delay of the reply', {maxMs: faultLimits.delayMs}))
		.addOption(
			durationOption('--byte-delay <duration>', 'delay of each byte of the reply', {
				maxMs: faultLimits.byteDelayMs,
			}),
		)
		.addOption(dropOption())
		.addOption(rateOption())
		.addOption(numberOption('--probability <number>', 'probability of a hit, from 0 to 1'))
		.addOption(numberOption('--seed <number>', 'random seed, for repeatable runs'))
		.addOption(durationOption('--ttl <duration>', 'delete the fault after this time', lifetime))
		.option('--from <pattern>', 'apply only to these envelope senders (text or /regex/)')
		.option('--to <pattern>', 'apply only to these recipients (text or /regex/)')
		.option('--subject <pattern>', 'apply only to these subjects, at stage end (text or /regex/)')
		.option('--user <pattern>', 'apply only to these SMTP users (text or /regex/)')
		.option('--name <name>', 'name of the fault');
}

function dropOption(): Option {
	const option = new Option(
		'--drop <when>',
		'close the connection: before the reply, mid data or reply, or after storing',
	);
	const known = faultDrops.map(when => when.replaceAll('_', '-'));
	option.choices(known).argParser(text => {
		const when = faultDrops.find(drop => drop === text.replaceAll('-', '_'));
		if (when === undefined) {
			throw new InvalidArgumentError(`Allowed choices are ${known.join(', ')}.`);
		}

		return when;
	});
	return option;
}

function rateOption(): Option {
	const {rateCount, rateSeconds} = faultLimits;
	return new Option('--rate <count/duration>', 'reject everything above this rate, such as 10/1m').argParser(text => {
		const [, digits, time = ''] = /^(\d+)\/(.+)$/.exec(text) ?? [];
		const count = Number(digits);
		const seconds = (parseDuration(/^[a-z]/.test(time) ? `1${time}` : time) ?? 0) / 1000;
		if (!(count >= 1 && count <= rateCount && seconds >= 1 && seconds <= rateSeconds && Number.isInteger(seconds))) {
			throw new InvalidArgumentError(
				`It must be <count>/<duration>, such as 10/1m: a count of at most ${rateCount} and whole seconds, from 1s to ${formatDuration(rateSeconds * 1000)}.`,
			);
		}

		return {count, seconds};
	});
}

function numberOption(flags: string, description: string): Option {
	return new Option(flags, description).argParser(text => {
		if (!/^\d+(\.\d+)?$/.test(text)) {
			throw new InvalidArgumentError('It must be a number.');
		}

		return Number(text);
	});
}

/** What to create: the preset with the fields that were given as flags in place of its own. */
export function faultOf(preset: CreateFault | undefined, flags: FaultFlags): CreateFault {
	const {stage = preset?.stage, delay, byteDelay, ttl, from, to, subject, user} = flags;
	if (stage === undefined) {
		throw usageError(
			'Specify a preset, or use --stage with at least one effect, such as --reply.',
			`The presets are ${presetNames.join(', ')}. See: tinbox help faults`,
		);
	}

	const {reply, times, after, per, drop, rate, probability, seed, name} = flags;
	const match = given({from, to, subject, user});
	return {
		...preset,
		...given({reply, times, after, per, drop, rate, probability, seed, name}),
		...given({delay_ms: delay, byte_delay_ms: byteDelay, ttl: ttl && Math.ceil(ttl / 1000)}),
		...(Object.keys(match).length > 0 && {match}),
		stage,
	};
}

function given<T extends object>(fields: T): Partial<T> {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
