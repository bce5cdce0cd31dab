import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {plans} from '../../../../src/contract/constants.js';
import type {PlanBody} from '../../../../src/contract/users.js';
import {planBody} from '../../../../src/http/api/users.js';
import {type FakeCalls, fakeContext, runFake} from '../../../helpers/context.js';

/** As they come over the wire. */
const bodies: readonly PlanBody[] = JSON.parse(JSON.stringify(plans.map(planBody)));

const calls: FakeCalls = {plans: {list: async () => ({plans: bodies})}};

const rows = bodies.map(({plan, ...limits}) => [
	plan,
	...Object.values(limits).map(limit => (limit === null ? 'unlimited' : String(limit))),
]);

describe('the limits of the plans', () => {
	test('are those that the daemon answers', async () => {
		expect(await runFake(['plans'], calls)).toEqual({
			exitCode: 0,
			stdout: rows.map(row => `${row.join('\t')}\n`).join(''),
			stderr: '',
		});
	});

	test('have headers on a terminal', async () => {
		const {stdout} = await runFake(['plans'], calls, {terminal: {isTTY: true, columns: 80}});
		expect(stdout.split('\n')[0]).toBe('PLAN      TEAMS      MEMBERS PER TEAM  API KEYS');
	});

	test('are null in JSON where there is none', async () => {
		const {stdout} = await runFake(['plans', '--json=plan,members'], calls);
		expect(JSON.parse(stdout)).toEqual([
			{plan: 'free', members: 0},
			{plan: 'starter', members: 3},
			{plan: 'pro', members: 10},
			{plan: 'business', members: null},
		]);
	});

	test('are asked for with the token of a login that has no API key yet', async () => {
		const {api, account} = await askedBy({apiKey: null, token: 't'});
		expect({api, account}).toEqual({api: 0, account: 1});
	});

	test('are asked for with the API key where there is one', async () => {
		const {api, account} = await askedBy({apiKey: 'k', token: 't'});
		expect({api, account}).toEqual({api: 1, account: 0});
	});

	test('the documentation lists the limits of every plan', () => {
		const page = readFileSync(new URL('../../../../docs/operate/users-and-teams.md', import.meta.url), 'utf8');
		const [, table = ''] =
			/\| Plan \| Teams \| Members per team \| API keys \|\n\|[-| ]+\|\n((?:\|.*\n)+)/.exec(page) ?? [];
		expect(table).toBe(rows.map(row => `| ${row.join(' | ')} |\n`).join(''));
	});
});

/** How often the command takes each client. */
async function askedBy(credentials: {readonly apiKey: string | null; readonly token: string | null}) {
	const asked = {api: 0, account: 0};
	const client = await fakeContext(calls).context.api();
	const take = (name: keyof typeof asked) => async () => {
		asked[name]++;
		return client;
	};
	const access = async () => ({url: 'http://127.0.0.1:1/v1', profile: 'ann', ...credentials});
	await runFake(['plans'], calls, {access, api: take('api'), account: take('account')});
	return asked;
}
