import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {expect} from 'vitest';
import {blockNamed} from './blocks.js';
import {mailText, type Stories, type World} from './world.js';

/** The app of the examples: `signUp` sends a code and a link, and retries after a temporary failure. */
const signUp = `
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
const signUp = async to => {
  const {SMTP_HOST: host, SMTP_PORT: port} = process.env;
  const mailer = createTransport({host, port, ignoreTLS: true});
  const text = '${mailText} https://shop.example/help https://shop.example/confirm?t=1';
  for (let attempt = 1; ; attempt++) {
    try {
      return await mailer.sendMail({from: 'shop@example.com', to, subject: 'Confirm it', text});
    } catch (error) {
      if (attempt === 3) {
        throw error;
      }

      await sleep(10);
    }
  }
};
`;

const modules = {
	'package.json': '{"type": "module"}',
	'sign-up.js': `import {createTransport} from 'nodemailer';${signUp}export {signUp};`,
	'sign-up.cjs': `const {createTransport} = require('nodemailer');${signUp}exports.signUp = signUp;`,
	'sign_up.py': `
import os, smtplib
from email.message import EmailMessage

def sign_up(to):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "shop@example.com", to, "Confirm it"
    message.set_content("${mailText}")
    with smtplib.SMTP(os.environ["SMTP_HOST"], int(os.environ["SMTP_PORT"])) as smtp:
        smtp.send_message(message)
`,
};

/** A minimal substitute for Jest: its globals, and a program that runs one test file. */
const jest = {
	globals: `
const hooks = {beforeAll: [], afterEach: [], afterAll: []};
const tests = [];
exports.hooks = hooks;
exports.tests = tests;
for (const name of Object.keys(hooks)) {
  exports[name] = hook => hooks[name].push(hook);
}

exports.expect = actual => ({
  toMatch(pattern) {
    if (!pattern.test(actual)) {
      throw new Error(actual + ' does not match ' + pattern);
    }
  },
});
exports.expect.getState = () => ({currentTestName: tests[0]?.name});
`,
	runner: `
const {hooks, tests, expect} = require('@jest/globals');
Object.assign(globalThis, {expect, test: (name, run) => tests.push({name, run})});
require('./sign-up.test.cjs');

const main = async () => {
  const all = async list => { for (const hook of list) { await hook(); } };
  await all(hooks.beforeAll);
  for (const {run} of tests) {
    await run();
    await all(hooks.afterEach);
  }

  await all(hooks.afterAll);
  console.log(tests.length + ' passed');
};
main().catch(error => {
  console.error(error);
  process.exitCode = 1;
});
`,
};

/** Runs a test file with Vitest, with a longer timeout for busy machines. */
async function runVitest(code: string, world: World): Promise<void> {
	await world.packages('vitest', 'nodemailer');
	await world.files({...modules, 'sign-up.test.js': code});
	const printed = await world.sh('tinbox run -- node_modules/vitest/vitest.mjs run --testTimeout 60000');
	expect(printed).toContain('1 passed');
}

/** Stories of `docs/test-frameworks.md`. */
export const stories: Stories = {
	'Test frameworks: js': {run: runVitest},
	'Playwright: js': {
		async run(code, world) {
			await world.packages('@playwright/test', 'nodemailer');
			await world.files({...modules, 'sign-up.spec.js': code});
			const cli = 'node_modules/@playwright/test/cli.js';
			expect(await world.sh(`tinbox run -- node ${cli} test --reporter list`)).toContain('1 passed');
		},
	},
	'Jest: js': {
		async run(code, world) {
			await world.packages('nodemailer');
			await world.files({
				...modules,
				'node_modules/@jest/globals/index.js': jest.globals,
				'jest.cjs': jest.runner,
				'sign-up.test.cjs': code,
			});
			// The kit is a symbolic link, from whose target Node.js would not find the packages of the project.
			const run = 'NODE_PATH="$PWD/node_modules" tinbox run -- node jest.cjs';
			expect(await world.sh(run)).toBe('1 passed');
		},
	},
	'pytest: sh': {
		async run(code, {sh, folder}) {
			await sh(code);
			expect(await readFile(path.join(folder, 'conftest_tinbox.py'), 'utf8')).toContain('def inbox(');
			expect(await readFile(path.join(folder, 'conftest.py'), 'utf8')).toBe('pytest_plugins = ["conftest_tinbox"]\n');
		},
	},
	'pytest: python': {
		needs: ['python3 pytest'],
		async run(code, world) {
			await world.sh(blockNamed('pytest: sh', 'docs/test-frameworks.md'));
			await world.files({...modules, 'test_sign_up.py': code});
			expect(await world.sh('tinbox run -- python3 -m pytest -p no:cacheprovider')).toContain('1 passed');
		},
	},
	'Any other framework: js': {
		async run(code, world) {
			await world.packages('nodemailer');
			await world.files({...modules, 'sign-up.test.js': code});
			expect(await world.sh('tinbox run -- node --test sign-up.test.js')).toMatch(/# pass 1\b|ℹ pass 1\b/);
		},
	},
	'Any other framework: js 2': {
		async run(code, world) {
			const setup = `
				import {createClient} from 'tinbox';
				import {signUp} from './sign-up.js';
				const tinbox = createClient();
				const inbox = await tinbox.inboxes.create();`;
			await world.packages('nodemailer');
			await world.files({...modules, 'faults.js': `${setup}\n${code}`});
			await world.sh('tinbox run -- node faults.js');
		},
	},
};
