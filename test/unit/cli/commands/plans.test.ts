import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {plans} from '../../../../src/contract/constants.js';
import type {PlanBody} from '../../../../src/contract/users.js';
import {planBody} from '../../../../src/http/api/users.js';
import {type FakeCalls, fakeContext, runFake} from '../../../helpers/context.js';

/** The plans as decoded from the JSON response. */
const bodies: readonly PlanBody[] = JSON.parse(JSON.stringify(plans.map(planBody)));

const calls: FakeCalls = {plans: {list: async () => ({plans: bodies})}};

const rows = bodies.map(({plan, ...limits}) => [
	plan,
	...Object.values(limits).map(limit => (limit === null ? 'unlimited' : String(limit))),
]);

describe('plans', () => {
	test('prints the limits of each plan', async () => {
		expect(await runFake(['plans'], calls)).toEqual({
			exitCode: 0,
			stdout: rows.map(row => `${row.join('\t')}\n`).join(''),
			stderr: '',
		});
	});

	test('prints a header on a terminal', async () => {
		const {stdout} = await runFake(['plans'], calls, {terminal: {isTTY: true, columns: 80}});
		expect(stdout.split('\n')[0]).toBe('PLAN      TEAMS      MEMBERS PER TEAM  API KEYS');
	});

	test('--json prints an unlimited value as null', async () => {
		const {stdout} = await runFake(['plans', '--json=plan,members'], calls);
		expect(JSON.parse(stdout)).toEqual([
			{plan: 'free', members: 0},
			{plan: 'starter', members: 3},
			{plan: 'pro', members: 10},
			{plan: 'business', members: null},
		]);
	});

	test('uses the login token if there is no API key', async () => {
		const {api, account} = await clientUses({apiKey: null, token: 't'});
		expect({api, account}).toEqual({api: 0, account: 1});
	});

	test('prefers the API key to the login token', async () => {
		const {api, account} = await clientUses({apiKey: 'k', token: 't'});
		expect({api, account}).toEqual({api: 1, account: 0});
	});

	test('shows the same limits as the documentation', () => {
		const page = readFileSync(new URL('../../../../docs/operate/users-and-teams.md', import.meta.url), 'utf8');
		const [, table = ''] =
			/\| Plan \| Teams \| Members per team \| API keys \|\n\|[-| ]+\|\n((?:\|.*\n)+)/.exec(page) ?? [];
		expect(table).toBe(rows.map(row => `| ${row.join(' | ')} |\n`).join(''));
	});
});

/** Number of times that `plans` creates each kind of client. */
async function clientUses(credentials: {readonly apiKey: string | null; readonly token: string | null}) {
	const uses = {api: 0, account: 0};
	const client = await fakeContext(calls).context.api();
	const counted = (name: keyof typeof uses) => async () => {
		uses[name]++;
		return client;
	};
	const access = async () => ({url: 'http://127.0.0.1:1/v1', profile: 'ann', ...credentials});
	await runFake(['plans'], calls, {access, api: counted('api'), account: counted('account')});
	return uses;
}
