import {once} from 'node:events';
import {readdir, readFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {expect} from 'vitest';
import {parse} from 'yaml';
import {blockNamed, readPage} from '../blocks.js';
import {pack} from '../registry.js';
import {mailText, type Stories, serveApp, type World} from '../world.js';

const page = 'docs/operate/ci.md';

/** The command of `npm test` in the project. */
const suite = `tinbox send "$TINBOX_ADDRESS" --text '${mailText}' && tinbox messages wait "$TINBOX_ADDRESS" --field code`;
const manifestOf = (test: string) => JSON.stringify({name: 'shop', version: '1.0.0', private: true, scripts: {test}});

const offline = {npm_config_offline: 'true', npm_config_audit: 'false'};

/** Creates a project that depends on tinbox, offline. */
async function createProject(world: World, test: string): Promise<void> {
	await world.files({'package.json': manifestOf(test)});
	await world.sh(`npm install --package-lock-only ./${await pack(world)}`, offline);
}

type Step = {
	readonly run?: string;
	readonly uses?: string;
	readonly if?: string;
	readonly with?: Readonly<Record<string, string>>;
};

function stepsOf(workflow: string): readonly Step[] {
	return (parse(workflow) as {readonly steps: readonly Step[]}).steps;
}

function commandsOf(workflow: string): readonly string[] {
	return stepsOf(workflow).flatMap(({run}) => run ?? []);
}

/** The part of the composite action that the story uses. */
type Action = {
	readonly inputs: object;
	readonly runs: {readonly steps: ReadonlyArray<{readonly id?: string; readonly run: string; readonly env: object}>};
};

/** Test command that receives a mail in the inbox "signup" and then fails. */
const failing = `addr=$(tinbox inbox create --name signup) && tinbox send "$addr" --subject Kept && false`;

export const stories: Stories = {
	'CI: sh': {
		async run(code, world) {
			await createProject(world, suite);
			await world.sh('npm ci', offline);
			expect(await world.sh(code, offline)).toContain('493028');
		},
	},
	'GitHub Actions: yaml': {
		async run(code, world) {
			await createProject(world, suite);
			expect(await world.sh(commandsOf(code).join('\n'), offline)).toContain('493028');
			const upload = stepsOf(code).find(({uses}) => uses?.startsWith('actions/upload-artifact'));
			expect(upload?.if).toBe('failure()');
			expect(await readdir(path.join(world.folder, String(upload?.with?.['path'])))).toContain('data');
		},
	},
	'GitLab CI: yaml': {
		async run(code) {
			const {test} = parse(code);
			// The story of GitHub Actions runs the same commands.
			expect(test.script).toEqual(commandsOf(blockNamed('GitHub Actions: yaml', page)));
			expect(test.artifacts).toEqual({when: 'on_failure', paths: ['mail']});
		},
	},
	'The mail of a failed run: sh': {
		async run(code, world) {
			await world.files({'package.json': manifestOf(failing)});
			await world.sh('tinbox run --keep mail -- npm test && exit 1 || exit 0');
			const printed = await world.sh(code);
			expect(printed).toMatch(/\tsignup\t1/);
			expect(printed).toContain('\tKept\t');
			expect(printed).toContain('Subject');
		},
	},
	'Shell scripts: sh': {
		needs: ['curl'],
		async run(code, world) {
			await startApp(world);
			expect(await world.sh(`bash -c '${code.replaceAll("'", `'\\''`)}'`)).toMatch(/^493028$/m);
			await expectNoFiles(world);

			const {folder, env} = world;
			const app = await serveApp(world, async () => 202);
			const job = execa('sh', ['-c', code], {cwd: folder, env, extendEnv: false, reject: false, detached: true});
			await once(app, 'request');
			process.kill(-(job.pid ?? Number.NaN), 'SIGTERM');
			expect((await job).exitCode).not.toBe(0);
			await expectNoFiles(world);
		},
	},
	'Jobs with several steps: yaml': {
		async run(code, world) {
			const {inputs, runs} = parse(readPage('docs/ci/action.yml')) as Action;
			const step = stepsOf(code).find(({uses}) => uses === './.github/actions/tinbox');
			expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})));
			await createProject(
				world,
				suite.replace('$TINBOX_ADDRESS', 'anyone@shop.example').replace('"$TINBOX_ADDRESS"', 'catch-all'),
			);
			const start = runs.steps.find(({id}) => id === 'start');
			await world.files({'start.sh': start?.run ?? '', env: '', output: ''});
			await world.sh('bash --noprofile --norc -eo pipefail start.sh', {
				...start?.env,
				FLAGS: step?.with?.['flags'] ?? '',
				TINBOX_HOME: world.env['TINBOX_HOME'] ?? '',
				GITHUB_ENV: path.join(world.folder, 'env'),
				GITHUB_OUTPUT: path.join(world.folder, 'output'),
			});
			const lines = (await readFile(path.join(world.folder, 'env'), 'utf8')).trim().split('\n');
			const variables = Object.fromEntries(lines.map(line => line.split(/=(.*)/s).slice(0, 2)));
			expect(await world.sh(commandsOf(code).join('\n'), {...offline, ...variables})).toContain('493028');
		},
	},
};

/** Starts an app that sends its mail to the daemon of the script. */
async function startApp(world: World): Promise<void> {
	await serveApp(world, async email => {
		const send = `tinbox send "$email" --subject 'Confirm it' --text '${mailText}'`;
		await world.sh(`TINBOX_NO_START=1 TINBOX_HOME=$(echo "$TMPDIR"/tinbox-*) ${send}`, {email});
		return 200;
	});
}

/** Waits until the daemon has removed its files, which it does shortly after the script ended. */
async function expectNoFiles({env}: World): Promise<void> {
	await expect.poll(async () => readdir(env['TMPDIR'] ?? ''), {timeout: 30_000}).toEqual([]);
}
