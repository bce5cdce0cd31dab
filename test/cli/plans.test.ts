import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {planLimits, plans} from '../../src/domain/plan.js';
import {runFake} from '../helpers/context.js';

function asText(limit: number): string {
	return Number.isFinite(limit) ? String(limit) : 'unlimited';
}

const rows = plans.map(plan => {
	const {teams, members, keys} = planLimits[plan];
	return [plan, asText(teams), asText(members), asText(keys)];
});

describe('the limits of the plans', () => {
	test('are those that the daemon keeps to', async () => {
		const {exitCode, stdout, stderr} = await runFake(['plans']);
		expect({exitCode, stdout, stderr}).toEqual({
			exitCode: 0,
			stdout: rows.map(row => `${row.join('\t')}\n`).join(''),
			stderr: '',
		});
	});

	test('have headers on a terminal', async () => {
		const {stdout} = await runFake(['plans'], {}, {terminal: {isTTY: true, columns: 80}});
		expect(stdout.split('\n')[0]).toBe('PLAN      TEAMS      MEMBERS PER TEAM  API KEYS');
	});

	test('are null in JSON where there is none', async () => {
		const {stdout} = await runFake(['plans', '--json=plan,members']);
		expect(JSON.parse(stdout)).toEqual([
			{plan: 'free', members: 0},
			{plan: 'starter', members: 3},
			{plan: 'pro', members: 10},
			{plan: 'business', members: null},
		]);
	});

	test('are in README', () => {
		const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
		const [, table = ''] =
			/\| Plan \| Teams \| Members per team \| API keys \|\n\|[-| ]+\|\n((?:\|.*\n)+)/.exec(readme) ?? [];
		expect(table).toBe(rows.map(row => `| ${row.join(' | ')} |\n`).join(''));
	});
});
