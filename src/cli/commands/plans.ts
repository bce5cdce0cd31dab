import type {Command} from 'commander';
import {planFields} from '../../contract/field-names.js';
import type {PlanBody} from '../../contract/users.js';
import type {Context} from '../context.js';
import {addHelpNote} from '../help/layout.js';
import type {TableColumn} from '../output/table.js';
import {fillList} from './verbs.js';

export function fillPlans(command: Command, context: Context): void {
	addHelpNote(command, 'The member limit includes the owner and open invites. The plan of the team owner applies.');
	fillList(command, context, {
		fields: planFields,
		columns,
		async load() {
			const {access, api, account} = context;
			const {apiKey, token} = await access();
			const client = await (apiKey === null && token !== null ? account() : api());
			return {rows: (await client.plans.list()).plans};
		},
	});
}

const columns: readonly TableColumn<PlanBody>[] = [
	{header: 'PLAN', value: row => row.plan},
	{header: 'TEAMS', value: ({teams}) => show(teams)},
	{header: 'MEMBERS PER TEAM', value: ({members}) => show(members)},
	{header: 'API KEYS', value: ({keys}) => show(keys)},
];

function show(limit: number | null): string {
	return limit === null ? 'unlimited' : String(limit);
}
