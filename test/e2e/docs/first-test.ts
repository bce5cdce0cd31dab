import {readdir} from 'node:fs/promises';
import path from 'node:path';
import {expect} from 'vitest';
import {parse} from 'yaml';
import {blockNamed} from './blocks.js';
import {startRegistry} from './registry.js';
import type {Stories, World} from './world.js';

const block = (name: string) => blockNamed(name, 'docs/first-test.md');

/** The files of the page, with a longer timeout for busy machines. */
const sources = () => ({
	'app.js': block('2. Write the app: js'),
	'sign-up.test.js': block('3. Write the test: js'),
	'vitest.config.js': 'export default {test: {testTimeout: 60_000}};',
});

/** Creates the project of the page offline. */
async function createProject({packages, files}: World): Promise<void> {
	await packages('nodemailer', 'vitest');
	await files({'package.json': '{"type": "module", "scripts": {"test": "vitest run"}}', ...sources()});
}

/** Runs the tests of the page and returns their output. */
async function runTests(world: World): Promise<string> {
	await createProject(world);
	return world.sh(block('4. Run it: sh'), {NO_COLOR: '1'});
}

/** Breaks the app, runs its tests, and returns their output. */
async function breakAndRun(code: string, world: World): Promise<string> {
	await createProject(world);
	return world.sh(`(${code}) 2>&1 && echo passed || echo failed`, {NO_COLOR: '1'});
}

const passes = {run: async (_: string, world: World) => expect(await runTests(world)).toContain('1 passed')};

type Workflow = {readonly jobs: {readonly test: {readonly steps: ReadonlyArray<{readonly run?: string}>}}};

export const stories: Stories = {
	'1. Create a project: sh': {
		async run(code, world) {
			await world.sh(code, await startRegistry(world));
			const installed = await readdir(path.join(world.folder, 'shop/node_modules'));
			expect(installed).toEqual(expect.arrayContaining(['nodemailer', 'tinbox', 'vitest']));
			const {type, scripts} = JSON.parse(await world.sh('cat shop/package.json'));
			expect({type, test: scripts.test}).toEqual({type: 'module', test: 'vitest run'});
		},
	},
	'2. Write the app: js': passes,
	'3. Write the test: js': passes,
	'4. Run it: sh': passes,
	'4. Run it: output': {
		async run(code, world) {
			const withoutTime = (text: string) => text.replaceAll(/\d+ms/g, '97ms');
			expect(withoutTime(await runTests(world))).toContain(code);
		},
	},
	'5. See it fail: sh': {
		async run(code, world) {
			expect(await breakAndRun(code, world)).toMatch(/1 failed.*failed$/s);
		},
	},
	'5. See it fail: output': {
		async run(code, world) {
			const printed = await breakAndRun(block('5. See it fail: sh'), world);
			const [, address = ''] = /arrived at (\S+) within/.exec(printed) ?? [];
			expect(printed.replaceAll(address, 'k3v9@tinbox.test').replace(/\d+ s ago/, 'just now')).toContain(code);
		},
	},
	'5. See it fail: sh 2': {
		async run(code, world) {
			await breakAndRun(block('5. See it fail: sh'), world);
			expect(await world.sh(`${code}\n${block('4. Run it: sh')}`)).toContain('1 passed');
		},
	},
	'6. Run it in CI: yaml': {
		async run(code, world) {
			const npm = await startRegistry(world);
			await world.sh(`${block('1. Create a project: sh')}\nrm -r node_modules`, npm);
			await world.files(Object.fromEntries(Object.entries(sources()).map(([name, text]) => [`shop/${name}`, text])));
			const {jobs} = parse(code) as Workflow;
			const commands = jobs.test.steps.flatMap(({run}) => run ?? []);
			expect(await world.sh(['cd shop', ...commands].join('\n'), npm)).toContain('1 passed');
		},
	},
};
