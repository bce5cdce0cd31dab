import {type Command, Option} from 'commander';
import {describeFault} from '../../client/faults.js';
import type {Client} from '../../client/index.js';
import {faultDrops, faultLimits, faultStages, maxLimit} from '../../contract/constants.js';
import {describeEffect} from '../../contract/descriptions.js';
import {faultPresets, presetNames} from '../../contract/fault-presets.js';
import type {CreateFault, FaultBody, FaultHitBody, FaultListBody} from '../../contract/faults.js';
import {faultFields, faultHitFields} from '../../contract/field-names.js';
import {sanitizeLine, shellQuote} from '../../lib/text/sanitize.js';
import {formatDuration, parseDuration} from '../../lib/text/units.js';
import type {Context} from '../context.js';
import {addHomeFlag} from '../control/home-flag.js';
import {findInbox, onlyOne} from '../find.js';
import {twoColumns} from '../help-layout.js';
import {
	addExamples,
	addHelpNote,
	addPageFlags,
	countOption,
	durationOption,
	type JsonFlag,
	jsonOption,
	lifetime,
	type PageFlags,
	parsedOption,
} from '../options.js';
import {Exit, exitCodes, notFound, usageError} from '../output/exit.js';
import {note, noteOnTerminal, printResult} from '../output/print.js';
import {withSpinner} from '../output/progress.js';
import {recorded, reportOption} from '../output/report.js';
import type {ReportTarget} from '../output/report-file.js';
import {clockColumn, printFound, type TableColumn} from '../output/table.js';
import {assertForInbox, readPreset} from './fault-preset.js';
import {fillList, readPages} from './list-show-delete.js';

export function addFaultsCommands(faults: Command, context: Context): void {
	addAdd(faults, context);
	addList(faults, context);
	addHits(faults, context);
	addWait(faults, context);
	addClear(faults, context);
}

const faultColumns: readonly TableColumn<FaultBody>[] = [
	{header: 'NAME', value: ({name}) => name ?? ''},
	{header: 'STAGE', value: ({stage}) => stage},
	{header: 'EFFECT', value: describeFault, flexible: true},
	{header: 'SEEN', value: ({seen}) => String(seen)},
	{header: 'HITS', value: ({hit_count}) => String(hit_count)},
	{header: 'ID', value: ({id}) => id, show: ({id}) => id.slice(-shortIdLength)},
];

const hitColumns: readonly TableColumn<FaultHitBody>[] = [
	clockColumn('TIME', ({time}) => time),
	{header: 'FAULT', value: ({name, fault_id}) => name ?? fault_id ?? 'address'},
	{header: 'CLIENT', value: ({client}) => client.host, show: ({client: {host, helo}}) => `${host} (${helo})`},
	{header: 'FROM', value: ({envelope, user}) => envelope.from ?? user ?? ''},
	{header: 'TO', value: ({envelope}) => envelope.to.join(','), flexible: true},
	{header: 'EFFECT', value: describeEffect, flexible: true},
];

/** Flags with the names and values of the fields of a fault, and others. Commander leaves out absent flags. */
type FaultFlags = Partial<Omit<CreateFault, 'match' | 'delay_ms' | 'byte_delay_ms'>> & {
	/** Milliseconds. */
	readonly delay?: number;
	/** Milliseconds. */
	readonly byteDelay?: number;
	/** Milliseconds, unlike the field. */
	readonly ttl?: number;
	readonly from?: string;
	readonly to?: string;
	readonly subject?: string;
	readonly user?: string;
};

/** Adds a flag for each field of a fault. */
function addFaultFlags(command: Command): Command {
	const {delayMs, byteDelayMs} = faultLimits;
	const perOption = new Option('--per <what>', 'count per recipient (stage rcpt) or per message (stage end)');
	return command
		.addOption(new Option('--stage <stage>', 'stage of the SMTP session').choices(faultStages))
		.option('--reply <reply>', 'reply to the client, such as "451 4.7.1 Try again later"')
		.addOption(countOption('--times <number>', 'stop after this many hits'))
		.addOption(countOption('--after <number>', 'skip the first <number> matches'))
		.addOption(perOption.choices(['recipient', 'message']))
		.addOption(durationOption('--delay <duration>', 'delay of the reply', {maxMs: delayMs}))
		.addOption(durationOption('--byte-delay <duration>', 'delay of each byte of the reply', {maxMs: byteDelayMs}))
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
	const known = faultDrops.map(when => when.replaceAll('_', '-'));
	const option = parsedOption(
		'--drop <when>',
		'close the connection: before the reply, mid data or reply, or after storing',
		text => faultDrops.find(drop => drop === text.replaceAll('-', '_')),
		`Allowed choices are ${known.join(', ')}.`,
	);
	return Object.assign(option, {argChoices: known});
}

function rateOption(): Option {
	const {rateCount, rateSeconds} = faultLimits;
	return parsedOption(
		'--rate <count/duration>',
		'reject everything above this rate, such as 10/1m',
		text => {
			const [, digits, time = ''] = /^(\d+)\/(.+)$/.exec(text) ?? [];
			const count = Number(digits);
			const seconds = (parseDuration(/^[a-z]/.test(time) ? `1${time}` : time) ?? 0) / 1000;
			const isValid = count >= 1 && count <= rateCount && seconds >= 1 && seconds <= rateSeconds;
			return isValid && Number.isInteger(seconds) ? {count, seconds} : undefined;
		},
		`It must be <count>/<duration>, such as 10/1m: a count of at most ${rateCount} and whole seconds, from 1s to ${formatDuration(rateSeconds * 1000)}.`,
	);
}

function numberOption(flags: string, description: string): Option {
	const parse = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined);
	return parsedOption(flags, description, parse, 'It must be a number.');
}

/** Fault to create: the preset with the fields of the flags. Throws a usage error if there is neither preset nor stage. */
function buildFault(preset: CreateFault | undefined, flags: FaultFlags): CreateFault {
	const {stage = preset?.stage, delay, byteDelay, ttl, from, to, subject, user, ...fields} = flags;
	if (stage === undefined) {
		throw usageError(
			'Specify a preset, or use --stage with at least one effect, such as --reply.',
			`The presets are ${presetNames.join(', ')}. See: tinbox help faults`,
		);
	}

	return {
		...preset,
		...fields,
		...(delay !== undefined && {delay_ms: delay}),
		...(byteDelay !== undefined && {byte_delay_ms: byteDelay}),
		...(ttl !== undefined && {ttl: Math.ceil(ttl / 1000)}),
		...([from, to, subject, user].some(pattern => pattern !== undefined) && {match: {from, to, subject, user}}),
		stage,
	};
}

/** The owner of faults: an inbox or the daemon. */
type FaultOwner = {
	readonly client: Client;
	/** Null: the daemon. */
	readonly inboxId: string | null;
	/** Name in messages. */
	readonly name: string;
	/** Arguments that select the owner on a command line. */
	readonly commandArguments: string;
};

type OwnerFlag = {readonly daemon?: boolean | undefined};

/** Number of characters at the end of an id that lists show and commands accept. */
const shortIdLength = 8;

const faultArgument = ['[fault]', 'name or id of the fault'] as const;

/** Adds the inbox argument, the flag `--daemon` that replaces it, and one more argument. */
function addOwnerArguments(command: Command, [name, description]: readonly [string, string]): Command {
	return command
		.usage(`[options] [inbox] ${name}`)
		.argument('[inbox]', 'id, address or name; omit with --daemon')
		.argument(name, description)
		.option('--daemon', 'the daemon (all connections) instead of an inbox');
}

/** Splits the operands into the inbox, which is undefined with `--daemon`, and the argument after it. */
function readOperands(
	operands: readonly string[],
	{daemon}: OwnerFlag,
): {readonly inbox: string | undefined; readonly argument: string | undefined} {
	const [first, second] = operands;
	if (daemon) {
		if (second !== undefined) {
			throw usageError('Specify an inbox or use --daemon, not both.', `For the daemon, omit "${first}".`);
		}

		return {inbox: undefined, argument: first};
	}

	if (first === undefined || (second === undefined && first in faultPresets)) {
		const where = first === undefined ? 'by its id, address or name' : `before "${first}"`;
		throw usageError(`Specify an inbox ${where}.`, 'For all connections, use --daemon instead of the inbox.');
	}

	return {inbox: first, argument: second};
}

async function findOwner({api}: Pick<Context, 'api'>, inbox: string | undefined): Promise<FaultOwner> {
	const client = await api();
	if (inbox === undefined) {
		return {client, inboxId: null, name: 'the daemon', commandArguments: '--daemon'};
	}

	const {id, email_address} = await findInbox(client, inbox);
	return {client, inboxId: id, name: email_address, commandArguments: shellQuote(email_address)};
}

/** Finds a fault by its id, the end of its id, or its name. Throws `Exit` if there is none, or if the name is ambiguous. */
async function findFault(owner: FaultOwner, text: string): Promise<FaultBody> {
	const {client, inboxId, name} = owner;
	const faults = await client.faults.list(inboxId);
	const named = faults.filter(fault => fault.name === text);
	const found =
		faults.find(({id}) => id === text || (text.length >= shortIdLength && id.endsWith(text))) ??
		onlyOne(named, `faults have the name "${text}"`, 'id', ({id}) => id);
	if (!found) {
		throw notFound(`${name} has no fault "${text}".`, await missingFaultHint(owner, faults, text));
	}

	return found;
}

/** Hint for an unknown fault: use `--daemon`, another fault of this owner, or the command that creates it. */
async function missingFaultHint(
	{client, inboxId, commandArguments}: FaultOwner,
	faults: readonly FaultBody[],
	text: string,
): Promise<string> {
	// Listing the faults of the daemon may be forbidden.
	const others = inboxId === null ? [] : await client.faults.list(null).catch(() => []);
	if (others.some(fault => fault.name === text)) {
		return 'The daemon has a fault with this name: use --daemon instead of the inbox.';
	}

	const known = new Set(faults.map(fault => fault.name ?? fault.id));
	const existing = known.size === 0 ? '' : `Its faults: ${[...known].join(', ')}. `;
	return `${existing}Add one: tinbox faults add ${commandArguments} ${Object.hasOwn(faultPresets, text) ? text : '<preset>'}`;
}

/** Error for a wait that timed out: lists the hits so far and the number of missing hits, for a CI log. */
function timeoutError(
	fault: FaultBody,
	{name, commandArguments}: FaultOwner,
	{count, timeout}: Pick<WaitFlags, 'count' | 'timeout'>,
	found: readonly FaultHitBody[],
): Exit {
	const label = fault.name ?? fault.id;
	const hitSummary = found.length === 0 ? 'had no hits' : `had ${hits(found.length)} instead of ${count}`;
	const lines = [
		`"${label}" of ${name} ${hitSummary} within ${formatDuration(timeout)}.`,
		...found.map(describeHit),
		`${hits(count - found.length)} missing. ${missingHitsReason(fault)}`,
	];
	return new Exit(exitCodes.timedOut, 'timeout', lines.map(sanitizeLine).join('\n'), {
		hint: `Wait longer with --timeout, or check again: tinbox faults hits ${commandArguments} ${shellQuote(label)}`,
		details: {fault, hits: found, missing: count - found.length},
	});
}

function describeHit(hit: FaultHitBody): string {
	const {time, client, stage, user, envelope} = hit;
	const clock = new Date(time).toTimeString().slice(0, 8);
	const who = client.helo === null ? client.host : `${client.host} (${client.helo})`;
	const as = user === null ? '' : ` as ${user}`;
	const from = envelope.from === null ? '' : ` from <${envelope.from}>`;
	const to = envelope.to.length === 0 ? '' : ` to ${envelope.to.map(address => `<${address}>`).join(', ')}`;
	return `  ${clock} ${who} at ${stage}${as}${from}${to}: ${describeEffect(hit)}`;
}

/** Explains the missing hits from the counts of the fault. */
function missingHitsReason(fault: FaultBody): string {
	const {stage, seen, hit_count, times: maxHits, per} = fault;
	const effect = `Fault at ${stage}: ${describeFault(fault)}.`;
	if (maxHits !== null && per === null && hit_count >= maxHits) {
		return `The fault reached its limit of ${hits(maxHits)}.`;
	}

	if (seen === 0) {
		return `No client reached the stage. ${effect}`;
	}

	return seen > hit_count
		? `The fault skipped ${seen - hit_count} of ${seen} matches. ${effect}`
		: `${per === null ? 'No client retried' : `No other ${per} matched`}. ${effect}`;
}

function hits(count: number): string {
	return `${count} ${count === 1 ? 'hit' : 'hits'}`;
}

type WaitFlags = OwnerFlag &
	JsonFlag & {
		readonly count: number;
		/** Milliseconds. */
		readonly timeout: number;
		readonly report?: ReportTarget;
	};

function addWait(faults: Command, context: Context): void {
	const command = faults.command('wait').description('wait for past or new hits of a fault and print them');
	addHelpNote(command, 'The exit code is 124 after a timeout; stderr lists the hits so far and what is missing.');
	addExamples(
		command,
		'tinbox faults wait signup greylist',
		'tinbox faults wait signup rate-limit --count 3 --timeout 1m',
	);
	addOwnerArguments(command, faultArgument)
		.usage('[options] <inbox> <fault>')
		.addOption(countOption('--count <number>', 'number of hits to wait for', maxLimit).default(1))
		.addOption(durationOption('--timeout <duration>', 'maximum time to wait').default(30_000, '30s'))
		.addOption(jsonOption(faultHitFields))
		.addOption(reportOption())
		.action(async (_inbox, _fault, {report, ...flags}: WaitFlags) => {
			const {inbox, argument} = readOperands(command.args, flags);
			if (argument === undefined) {
				throw usageError('Specify the fault to wait for.', 'List all faults: tinbox faults list <inbox>');
			}

			await recorded(report, `${hits(flags.count)} of ${argument}`, context, async () =>
				wait(inbox, argument, flags, context),
			);
		});
}

async function wait(inbox: string | undefined, faultName: string, flags: WaitFlags, context: Context): Promise<void> {
	const {count, timeout, json} = flags;
	const owner = await findOwner(context, inbox);
	const {client, inboxId} = owner;
	const {id} = await findFault(owner, faultName);
	const newest = await withSpinner(context, `waiting for ${faultName} of ${owner.name}`, () =>
		client.faults.wait(inboxId, {fault: id, count, timeoutMs: timeout}),
	);
	const found = newest.toReversed();
	if (found.length < count) {
		throw timeoutError(await client.faults.get(inboxId, id), owner, flags, found);
	}

	printFound(context, hitColumns, found, json);
}

function addAdd(faults: Command, context: Context): void {
	const command = faults.command('add').description('create a fault and print its id');
	const presets = Object.entries(faultPresets).map(([name, {description}]) => [name, description] as const);
	addHelpNote(
		command,
		`Presets:
${twoColumns(presets)}

Without a preset, --stage is required, with at least one of --reply, --rate, --drop, --delay and --byte-delay. See: tinbox help faults`,
	);
	addExamples(
		command,
		'tinbox faults add signup greylist',
		'tinbox faults add signup drop-after-commit --times 1',
		'tinbox faults add signup --stage rcpt --reply "450 4.2.0 Try later" --to ann',
		'tinbox faults add --daemon tls-fail',
	);
	addFaultFlags(addOwnerArguments(command, ['[preset]', 'preset fault; flags override its fields']))
		.addOption(jsonOption(faultFields))
		.action(async (_inbox, _preset, {daemon, json, ...flags}: FaultFlags & OwnerFlag & JsonFlag) => {
			const {inbox, argument} = readOperands(command.args, {daemon});
			const fault = buildFault(argument === undefined ? undefined : readPreset(argument), flags);
			if (inbox !== undefined) {
				assertForInbox(fault, argument ?? `--stage ${fault.stage} …`);
			}

			const {client, inboxId} = await findOwner(context, inbox);
			const created = await client.faults.create(inboxId, fault);
			printResult(context.io, created, created.id, json);
			if (!json) {
				noteOnTerminal(context.io, `Stage ${created.stage}: ${describeFault(created)}`);
			}
		});
}

function addList(faults: Command, context: Context): void {
	const command = faults.command('list').description('list the faults of an inbox with their effects and hits');
	command
		.usage('[options] <inbox>')
		.argument('[inbox]', 'id, address or name')
		.option('--daemon', 'use the faults of the daemon instead of an inbox');
	fillList<FaultBody, OwnerFlag>(addHomeFlag(command, context), context, {
		fields: faultFields,
		columns: faultColumns,
		async load(flags, operands) {
			const {client, inboxId, name, commandArguments} = await findOwner(context, readOperands(operands, flags).inbox);
			const rows = await client.faults.list(inboxId);
			return {
				rows,
				body: {faults: rows} satisfies FaultListBody,
				none: `There are no faults for ${name}. Add one: tinbox faults add ${commandArguments} <preset>`,
			};
		},
	});
}

function addHits(faults: Command, context: Context): void {
	const command = faults.command('hits').description('list the hits of faults, newest first');
	addHomeFlag(addPageFlags(addOwnerArguments(command, faultArgument)), context);
	fillList<FaultHitBody, OwnerFlag & PageFlags>(command, context, {
		fields: faultHitFields,
		columns: hitColumns,
		async load(flags, operands) {
			const {inbox, argument} = readOperands(operands, flags);
			const owner = await findOwner(context, inbox);
			const fault = argument === undefined ? undefined : (await findFault(owner, argument)).id;
			const {rows, total, limit, hasMore} = await readPages(flags, async page => {
				const {hits, total} = await owner.client.faults.hits(owner.inboxId, {...page, fault});
				return {rows: hits, total};
			});
			const operandText = [owner.commandArguments, argument && shellQuote(argument)].filter(Boolean).join(' ');
			return {
				rows,
				body: {hits: rows, total, page: 1, limit},
				none: `There are no fault hits for ${owner.name} yet.`,
				more: hasMore && `${rows.length} of ${total} hits. See all: tinbox faults hits ${operandText} --all`,
			};
		},
	});
}

function addClear(faults: Command, context: Context): void {
	const command = faults.command('clear').description('delete one or all faults of an inbox');
	addOwnerArguments(command, faultArgument).action(async (_inbox, _fault, flags: OwnerFlag) => {
		const {inbox, argument} = readOperands(command.args, flags);
		const owner = await findOwner(context, inbox);
		const {client, inboxId, name} = owner;
		if (argument === undefined) {
			const all = await client.faults.list(inboxId);
			await client.faults.deleteAll(inboxId);
			note(context.io, `Deleted ${all.length} ${all.length === 1 ? 'fault' : 'faults'} of ${name}.`);
		} else {
			const {id, name: faultName} = await findFault(owner, argument);
			await client.faults.delete(inboxId, id);
			note(context.io, `Deleted the fault ${faultName ?? id} of ${name}.`);
		}
	});
}
