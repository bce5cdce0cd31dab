import {once} from 'node:events';
import {readdir} from 'node:fs/promises';
import {execa} from 'execa';
import {expect} from 'vitest';
import {parse} from 'yaml';
import {blockNamed} from './blocks.js';
import {pack} from './start.js';
import {isThere, mailText, type Stories, startApp, type World} from './world.js';

/** What `npm test` of the reader's project does. */
const suite = `tinbox send "$TINBOX_ADDRESS" --text '${mailText}' && tinbox messages wait "$TINBOX_ADDRESS" --field code`;
const manifest = JSON.stringify({name: 'shop', version: '1.0.0', private: true, scripts: {test: suite}});

/** Runs the commands of a job in a project that has tinbox among its packages, without a network. */
async function runJob(commands: readonly string[], world: World): Promise<void> {
	await world.files({'package.json': manifest});
	const offline = {npm_config_offline: 'true', npm_config_audit: 'false'};
	await world.sh(`npm install --package-lock-only ./${await pack(world)}`, offline);
	expect(await world.sh(commands.join('\n'), offline)).toContain('493028');
	expect(await readdir(`${world.folder}/node_modules`)).toContain('tinbox');
}

type Steps = {readonly steps: ReadonlyArray<{readonly run?: string}>};

function githubCommands(workflow: string): readonly string[] {
	const {steps} = parse(workflow) as Steps;
	return steps.flatMap(({run}) => run ?? []);
}

const signUp = `
import nodemailer from 'nodemailer';
export const signUp = async to => {
  const {SMTP_HOST: host, SMTP_PORT: port} = process.env;
  await nodemailer.createTransport({host, port, ignoreTLS: true}).sendMail({from: 'shop@example.com', to, subject: 'Confirm it', text: '${mailText}'});
};`;

/** Runs a file of tests for Vitest. */
async function runSuite(code: string, world: World): Promise<void> {
	await world.packages('vitest', 'nodemailer');
	await world.files({'sign-up.js': signUp, 'sign-up.test.js': code, 'package.json': '{"type": "module"}'});
	// A busy machine may need longer than the 5 seconds that are usual.
	await world.sh('tinbox run -- node_modules/vitest/vitest.mjs run --testTimeout 60000');
}

export const ciStories: Stories = {
	'In CI: sh': {
		async run(code, world) {
			await world.files({'package.json': manifest});
			expect(await world.sh(code)).toContain('493028');
		},
	},
	'In CI: sh 2': {
		needs: ['curl'],
		async run(code, world) {
			await startApp(world);
			expect(await world.sh(`(${code}\necho "The code is $code.")`)).toContain('The code is 493028.');
			await leavesNothing(world);

			const job = () =>
				execa('sh', ['-c', code], {cwd: world.folder, env: world.env, extendEnv: false, reject: false, detached: true});
			await startApp(world, 500);
			// As curl ended.
			expect((await job()).exitCode).toBe(22);
			await leavesNothing(world);

			const app = await startApp(world, 202);
			const cancelled = job();
			await once(app, 'request');
			process.kill(-(cancelled.pid ?? Number.NaN), 'SIGTERM');
			expect((await cancelled).exitCode).not.toBe(0);
			await leavesNothing(world);
		},
	},
	'In CI: yaml': {
		async run(code, world) {
			await runJob(githubCommands(code), world);
		},
	},
	'In CI: yaml 2': {
		async run(code) {
			// Which run there.
			expect(parse(code).test.script).toEqual(githubCommands(blockNamed('In CI: yaml')));
		},
	},
	'In your tests: js': {run: runSuite},
	'In your tests: js 2': {run: runSuite},
	'In your tests: python': {
		needs: ['python3 requests'],
		async run(code, world) {
			const job = `tinbox send "$TINBOX_ADDRESS" --subject 'Confirm it' --text '${mailText}' & python3 wait.py`;
			for (const library of ['requests', 'httpx'].filter(name => isThere(`python3 ${name}`))) {
				await world.files({'job.sh': job, 'wait.py': code.replaceAll('requests', library)});
				expect(await world.sh('tinbox run -- sh job.sh')).toBe('493028');
			}
		},
	},
};

/** Neither a daemon nor a file in the temporary folder. */
async function leavesNothing({env}: World): Promise<void> {
	expect(await readdir(env['TMPDIR'] ?? '')).toEqual([]);
}
