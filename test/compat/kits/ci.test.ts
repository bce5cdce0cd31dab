import {readFileSync} from 'node:fs';
import {cp, mkdir, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {allPages, blocksIn, root} from '../../e2e/docs/blocks.js';
import {createWorld} from '../../e2e/docs/world.js';

describe('the composite action for GitHub', () => {
	const {inputs, outputs, runs} = readAction();

	test('inserts no expression of a workflow into a script', () => {
		expect(runs.using).toBe('composite');
		for (const {shell, run} of runs.steps) {
			expect(shell).toBe('bash');
			expect(run).not.toContain('${{');
		}
	});

	test('uses all of its inputs and defines the inputs of the documented workflow', () => {
		const used = [...docsFile('ci/action.yml').matchAll(/\$\{\{ inputs\.([\w-]+) \}\}/g)].map(([, name]) => name);
		expect(new Set(used)).toEqual(new Set(Object.keys(inputs)));
		const workflow = allPages.flatMap(blocksIn).find(({code}) => code.includes('uses: ./.github/actions/tinbox'));
		const {steps} = parse(workflow?.code ?? '');
		const given = steps.find((step: {readonly uses?: string}) => step.uses?.endsWith('/tinbox'))?.with;
		expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
	});

	test('starts a daemon and exports its variables and outputs to the following steps', async () => {
		const {env, sh, files, folder} = await createWorld();
		const start = runs.steps.find(({id}) => id === 'start');
		await files({'start.sh': start?.run ?? '', env: '', output: ''});
		const file = (name: string) => path.join(folder, name);
		const given = {...start?.env, FLAGS: '--keep 5\n--catch-all\n', TINBOX_HOME: env['TINBOX_HOME'] ?? ''};
		const log = await sh('bash --noprofile --norc -eo pipefail start.sh', {
			...given,
			GITHUB_ENV: file('env'),
			GITHUB_OUTPUT: file('output'),
		});
		const variables = Object.fromEntries(
			(await readFile(file('env'), 'utf8')).split('\n').map(line => /^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []),
		);
		expect(log).toBe(`::add-mask::${variables.TINBOX_API_KEY}`);
		await sh('tinbox send any@where.example --text "Your code is 4711."', variables);
		expect(await sh('tinbox messages wait catch-all --field code', variables)).toBe('4711');
		const output = (await readFile(file('output'), 'utf8')).trim().split('\n');
		expect(output.map(line => line.split('=')[0])).toEqual(Object.keys(outputs));
		expect(output).toContain(`url=${variables.TINBOX_URL}`);
	});

	test('fails if the daemon does not start, and reports missing Node.js', async () => {
		const {env, folder, files} = await createWorld();
		await files({env: '', output: ''});
		const step = async (index: number, more: Readonly<Record<string, string>>) =>
			execa('/bin/bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', runs.steps[index]?.run ?? ''], {
				cwd: folder,
				env: {...env, GITHUB_ENV: 'env', GITHUB_OUTPUT: 'output', ...more},
				extendEnv: false,
				reject: false,
			});
		expect(await step(1, {FLAGS: '--no-such-flag'})).toMatchObject({exitCode: 2, stdout: ''});
		expect(await step(0, {VERSION: 'latest', PATH: '/nowhere'})).toMatchObject({
			exitCode: 1,
			stdout: expect.stringContaining('::error::tinbox requires Node.js'),
		});
	});
});

/** A substitute for Testcontainers: runs the command of the image with its environment, on free ports of this machine. */
const testcontainers = `
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {createInterface} from 'node:readline';

export const Wait = {forHealthCheck: () => 'health'};

export class GenericContainer {
	static fromDockerfile(context, file) {
		const image = readFileSync(path.join(context, file), 'utf8');
		return {build: async () => new GenericContainer(image)};
	}
	#image; #env; #ports;
	constructor(image) { this.#image = image; }
	withEnvironment(env) { this.#env = env; return this; }
	withExposedPorts(...ports) { this.#ports = ports; return this; }
	withWaitStrategy() { return this; }
	async start() {
		const [, variables] = /^ENV (.*)$/m.exec(this.#image);
		const own = Object.fromEntries(variables.split(' ').map(text => text.split('=')));
		const env = {...process.env, ...own, TINBOX_HOME: process.env.TINBOX_HOME, TINBOX_HOST: '127.0.0.1', ...this.#env};
		const [program, ...args] = JSON.parse(/^CMD (.*)$/m.exec(this.#image)[1]);
		const child = spawn(program, [...args, '--json'], {env, stdio: ['ignore', 'pipe', 'inherit']});
		const [line] = await once(createInterface(child.stdout), 'line');
		const {url, smtp} = JSON.parse(line);
		const mapped = {1025: smtp.port, 8025: Number(new URL(url).port)};
		return {
			getHost: () => 'localhost',
			getMappedPort: port => this.#ports.includes(port) ? mapped[port] : undefined,
			async stop() { child.kill(); await once(child, 'exit'); },
		};
	}
}
`;

const program = `
import {createClient} from 'tinbox';
import {createTransport} from 'nodemailer';
import setup from './testcontainers.js';

const stop = await setup();
const tinbox = createClient();
const {id, email_address: to} = await tinbox.inboxes.create();
const {SMTP_HOST: host, SMTP_PORT: port} = process.env;
await createTransport({host, port}).sendMail({from: 'shop@shop.example', to, text: 'Your code is 482913.'});
console.log((await tinbox.messages.wait(id)).codes[0]);
await stop();
`;

test('the Testcontainers example starts a container and exports its variables to the tests', async () => {
	const {folder, sh, files, packages} = await createWorld();
	await packages('nodemailer');
	const fake = path.join(folder, 'node_modules/testcontainers');
	await mkdir(fake);
	await writeFile(path.join(fake, 'package.json'), '{"type": "module", "exports": "./index.js"}');
	await writeFile(path.join(fake, 'index.js'), testcontainers);
	for (const file of ['ci/testcontainers.js', 'server/Containerfile']) {
		await cp(path.join(root, 'docs', file), path.join(folder, path.basename(file)));
	}

	await files({'package.json': '{"type": "module"}', 'use.js': program});
	expect(await sh('node use.js')).toBe('482913');
});

function docsFile(name: string): string {
	return readFileSync(path.join(root, 'docs', name), 'utf8');
}

type Step = {
	readonly id?: string;
	readonly shell?: string;
	readonly env: Readonly<Record<string, string>>;
	readonly run: string;
};

/** The parts of a composite action that the tests read. */
type Action = {
	readonly inputs: Readonly<Record<string, {readonly description: string; readonly default: string}>>;
	readonly outputs: Readonly<Record<string, {readonly description: string; readonly value: string}>>;
	readonly runs: {readonly using: string; readonly steps: readonly Step[]};
};

function readAction(): Action {
	return parse(docsFile('ci/action.yml'));
}
