import type {Command} from 'commander';
import type {Context} from '../context.js';
import {type FieldsOf, type JsonFields, jsonOption} from '../options.js';
import {printJsonList} from '../output.js';
import {type Column, printTable} from '../table.js';

export type PlansOptions = {readonly json?: JsonFields};

/** Null is no limit. */
type PlanRow = {
	readonly plan: string;
	readonly teams: number | null;
	readonly members: number | null;
	readonly keys: number | null;
};

const fields: FieldsOf<PlanRow> = {plan: true, teams: true, members: true, keys: true};

export function fillPlans(command: Command, context: Context, run = runPlans): void {
	command
		.addHelpText(
			'after',
			'\nMembers of a team are its owner, the others and the open invites; the plan of its owner counts.',
		)
		.addOption(jsonOption(fields))
		.action(async (options: PlansOptions) => run(options, context));
}

export async function runPlans({json}: PlansOptions, {io}: Context): Promise<void> {
	const {planLimits, plans} = await import('../../daemon/plans.js');
	const rows: readonly PlanRow[] = plans.map(plan => {
		const {teams, members, keys} = planLimits[plan];
		return {plan, teams: finite(teams), members: finite(members), keys: finite(keys)};
	});
	if (json) {
		printJsonList(io, rows, rows, json);
	} else {
		await printTable(io, columns, rows);
	}
}

const columns: readonly Column<PlanRow>[] = [
	{header: 'PLAN', value: row => row.plan},
	{header: 'TEAMS', value: ({teams}) => show(teams)},
	{header: 'MEMBERS PER TEAM', value: ({members}) => show(members)},
	{header: 'API KEYS', value: ({keys}) => show(keys)},
];

function finite(limit: number): number | null {
	return Number.isFinite(limit) ? limit : null;
}

function show(limit: number | null): string {
	return limit === null ? 'unlimited' : String(limit);
}
