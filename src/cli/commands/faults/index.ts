import type {Command} from 'commander';
import {describeFault} from '../../../client/fault-words.js';
import {takeRows} from '../../../client/pages.js';
import {faultPresets} from '../../../contract/fault-presets.js';
import type {FaultBody, FaultHitBody, FaultListBody} from '../../../contract/faults.js';
import {faultFields, faultHitFields} from '../../../contract/field-names.js';
import {shellQuote} from '../../../lib/text/sanitize.js';
import type {Context} from '../../context.js';
import {addHomeFlag} from '../../control/kept-home.js';
import {addHelpNote} from '../../help/layout.js';
import {twoColumns} from '../../help/two-columns.js';
import {addExamples, addPageFlags, type JsonFlag, jsonOption, type PageFlags, rowCount} from '../../options.js';
import {note, noteOnTerminal, printResult} from '../../output/print.js';
import {fillList} from '../verbs.js';
import {faultColumns, hitColumns} from './columns.js';
import {addFaultFlags, type FaultFlags, faultOf} from './fault-flags.js';
import {addHolder, faultArgument, findFault, findHolder, type HolderFlag, readOperands} from './holder.js';
import {assertForInbox, presetOf} from './preset.js';
import {addWait} from './wait.js';

export function addFaultsCommands(faults: Command, context: Context): void {
	addAdd(faults, context);
	addList(faults, context);
	addHits(faults, context);
	addWait(faults, context);
	addClear(faults, context);
}

function addAdd(faults: Command, context: Context): void {
	const command = faults.command('add').description('create a fault and print its id');
	addHelpNote(
		command,
		`Presets:
${presetLines()}

Without a preset, --stage is required, with at least one of --reply, --rate, --drop, --delay and --byte-delay. See: tinbox help faults`,
	);
	addExamples(
		command,
		'tinbox faults add signup greylist',
		'tinbox faults add signup drop-after-commit --times 1',
		'tinbox faults add signup --stage rcpt --reply "450 4.2.0 Try later" --to ann',
		'tinbox faults add --daemon tls-fail',
	);
	addFaultFlags(addHolder(command, ['[preset]', 'preset fault; flags override its fields']))
		.addOption(jsonOption(faultFields))
		.action(async (_inbox, _preset, flags: FaultFlags & HolderFlag & JsonFlag) => {
			const {inbox, further} = readOperands(command.args, flags);
			const fault = faultOf(further === undefined ? undefined : presetOf(further), flags);
			if (inbox !== undefined) {
				assertForInbox(fault, further ?? `--stage ${fault.stage} …`);
			}

			const {client, inboxId} = await findHolder(context, inbox);
			const created = await client.faults.create(inboxId, fault);
			printResult(context.io, created, created.id, flags.json);
			if (!flags.json) {
				noteOnTerminal(context.io, `Stage ${created.stage}: ${describeFault(created)}`);
			}
		});
}

function presetLines(): string {
	return twoColumns(Object.entries(faultPresets).map(([name, {description}]) => [name, description]));
}

function addList(faults: Command, context: Context): void {
	const command = faults.command('list').description('list the faults of an inbox with their effects and hits');
	command
		.usage('[options] <inbox>')
		.argument('[inbox]', 'id, address or name')
		.option('--daemon', 'use the faults of the daemon instead of an inbox');
	fillList<FaultBody, HolderFlag>(addHomeFlag(command, context), context, {
		fields: faultFields,
		columns: faultColumns,
		async load(flags, operands) {
			const {client, inboxId, name, words} = await findHolder(context, readOperands(operands, flags).inbox);
			const rows = await client.faults.list(inboxId);
			return {
				rows,
				body: {faults: rows} satisfies FaultListBody,
				none: `There are no faults for ${name}. Add one: tinbox faults add ${words} <preset>`,
			};
		},
	});
}

function addHits(faults: Command, context: Context): void {
	const command = faults.command('hits').description('list the hits of faults, newest first');
	addHomeFlag(addPageFlags(addHolder(command, faultArgument)), context);
	fillList<FaultHitBody, HolderFlag & PageFlags>(command, context, {
		fields: faultHitFields,
		columns: hitColumns,
		async load(flags, operands) {
			const {inbox, further} = readOperands(operands, flags);
			const holder = await findHolder(context, inbox);
			const fault = further === undefined ? undefined : (await findFault(holder, further)).id;
			let total = 0;
			const rows = await takeRows(async page => {
				const body = await holder.client.faults.hits(holder.inboxId, {...page, fault});
				total = body.total;
				return body.hits;
			}, rowCount(flags));
			return {
				rows,
				body: {hits: rows, total, page: 1, limit: flags.all ? rows.length : flags.limit},
				none: `There are no fault hits for ${holder.name} yet.`,
				more:
					rows.length < total &&
					`${rows.length} of ${total} hits. See all: tinbox faults hits ${[holder.words, further && shellQuote(further)].filter(Boolean).join(' ')} --all`,
			};
		},
	});
}

function addClear(faults: Command, context: Context): void {
	const command = faults.command('clear').description('delete one or all faults of an inbox');
	addHolder(command, faultArgument).action(async (_inbox, _fault, flags: HolderFlag) => {
		const {inbox, further} = readOperands(command.args, flags);
		const holder = await findHolder(context, inbox);
		const {client, inboxId, name} = holder;
		if (further === undefined) {
			const all = await client.faults.list(inboxId);
			await client.faults.deleteAll(inboxId);
			note(context.io, `Deleted ${all.length} ${all.length === 1 ? 'fault' : 'faults'} of ${name}.`);
		} else {
			const {id, name: faultName} = await findFault(holder, further);
			await client.faults.delete(inboxId, id);
			note(context.io, `Deleted the fault ${faultName ?? id} of ${name}.`);
		}
	});
}
