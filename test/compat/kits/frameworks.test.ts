import {mkdir, readdir, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {describe, expect, test, vi} from 'vitest';
import {ownEnv} from '../../helpers/cli.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {openTinbox} from '../../helpers/tinbox.js';

const root = path.join(import.meta.dirname, '../../..');

const signUp = `
import {createTransport} from 'nodemailer';

export const signUp = async inbox => {
  const text = 'Your code is 482913. https://shop.example/help https://shop.example/confirm?t=1';
  await createTransport(inbox.smtp.url).sendMail({from: 'shop@shop.example', to: inbox.address, subject: 'Confirm it', text});
};
`;

/** A passing test for Vitest or Playwright. */
const passing = `
import {signUp} from './sign-up.js';

test('passes', async ({inbox}) => {
  await signUp(inbox);
  if (await inbox.code({subject: 'Confirm'}) !== '482913') {
    throw new Error('The code is wrong.');
  }

  if (!(await inbox.link({link: 'confirm'})).startsWith('https://shop.example/confirm')) {
    throw new Error('The link is wrong.');
  }
});
`;

/** A failing test for Vitest or Playwright. */
const failing = `
import {signUp} from './sign-up.js';

test('fails', async ({inbox, tinbox}) => {
  await signUp(inbox);
  if ((await tinbox.inboxes.get(inbox.id)).name.endsWith('fails')) {
    throw new Error('The code is ' + await inbox.code());
  }
});
`;

/** Creates a project in which tinbox and the frameworks are installed. */
async function createProject(files: Readonly<Record<string, string>>) {
	const home = await tempDir();
	const folder = path.join(home, 'project');
	const modules = path.join(folder, 'node_modules');
	const temporary = path.join(home, 'tmp');
	await mkdir(path.join(modules, '@playwright'), {recursive: true});
	await mkdir(temporary);
	await symlink(root, path.join(modules, 'tinbox'));
	for (const name of ['vitest', 'nodemailer', '@playwright/test']) {
		await symlink(path.join(root, 'node_modules', name), path.join(modules, name));
	}

	for (const [name, content] of Object.entries({
		'package.json': '{"type": "module"}',
		'sign-up.js': signUp,
		...files,
	})) {
		await writeFile(path.join(folder, name), content);
	}

	return {
		temporary: async () => readdir(temporary),
		run: async (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
			execa(process.execPath, [path.join(root, 'node_modules', program), ...args], {
				cwd: folder,
				env: {...ownEnv(home), TMPDIR: temporary, NO_COLOR: '1', ...env},
				extendEnv: false,
				reject: false,
				all: true,
			}),
	};
}

describe('a test run with the kit', () => {
	test('gives each Vitest test an inbox, prints the mail of a failed test, and leaves no files', async () => {
		const {run, temporary} = await createProject({
			'sign-up.test.js': `import {test} from 'tinbox/vitest';${passing}`,
			'failing.test.js': `import {test} from 'tinbox/vitest';${failing}`,
		});
		const {exitCode, all} = await run('vitest/vitest.mjs', ['run', '--testTimeout', '60000']);
		expect(all).toMatch(/Tests +1 failed \| 1 passed/);
		expect(all).toMatch(/failing\.test\.js > fails\nMessages in \S+@tinbox\.test:\n {2}\S+ "Confirm it" from shop@/);
		expect(all.match(/Messages in/g)).toHaveLength(1);
		expect(exitCode).toBe(1);
		await vi.waitFor(async () => expect(await temporary()).toEqual([]), {timeout: 30_000});
	});

	test('gives each Playwright test an inbox on the daemon of TINBOX_URL, attaches the mail of a failed test, and deletes the inboxes', async () => {
		const server = await openTinbox();
		const {user, key} = await server.user('Ann');
		const {run, temporary} = await createProject({
			'sign-up.spec.js': `import {test} from 'tinbox/playwright';${passing}`,
			'failing.spec.js': `import {test} from 'tinbox/playwright';${failing}`,
		});
		const named = {TINBOX_URL: server.url, TINBOX_API_KEY: key};
		const {exitCode, all} = await run('@playwright/test/cli.js', ['test', '--reporter', 'list'], named);
		expect(all).toMatch(/1 failed.*1 passed/s);
		expect(all).toMatch(
			/attachment #1: mail \(text\/plain\).*Messages in \S+@tinbox\.test:\n +\S+ "Confirm it" from shop@/s,
		);
		expect(exitCode).toBe(1);
		expect((await server.services.inboxes.list(user, {page: 1, limit: 100})).total).toBe(0);
		expect((await temporary()).filter(name => name.startsWith('tinbox-'))).toEqual([]);
	});
});

test.each([
	['vitest.js', 'tinbox/vitest requires Vitest, which is not installed.'],
	['playwright.cjs', 'tinbox/playwright requires @playwright/test, which is not installed.'],
	['jest.cjs', 'tinbox/jest requires Jest, which is not installed.'],
])('%s reports that its framework is not installed', async (file, sentence) => {
	const folder = await tempDir();
	for (const name of [file, file === 'vitest.js' ? 'client.js' : 'client.cjs']) {
		await symlink(path.join(root, 'dist', name), path.join(folder, name));
	}

	const args = ['--preserve-symlinks', '--preserve-symlinks-main', path.join(folder, file)];
	const {stderr} = await execa(process.execPath, args, {reject: false, env: {NODE_PATH: ''}});
	expect(stderr).toContain(`Error: ${sentence}`);
});
