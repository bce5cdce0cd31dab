import {readdir} from 'node:fs/promises';
import path from 'node:path';
import {expect, onTestFinished} from 'vitest';
import {parse} from 'yaml';
import {Pty} from '../../helpers/pty.js';
import {startRegistry} from './registry.js';
import {mailText, type Stories, type World} from './world.js';

/** The command of `npm test` in the project. */
const suite = `tinbox send "$TINBOX_ADDRESS" --text '${mailText}' && tinbox messages wait "$TINBOX_ADDRESS" --field code`;
const manifest = JSON.stringify({name: 'shop', version: '1.0.0', private: true, scripts: {test: suite}});

const signUp = `
import nodemailer from 'nodemailer';
export const signUp = async to => {
  const {SMTP_HOST: host, SMTP_PORT: port} = process.env;
  await nodemailer.createTransport({host, port, ignoreTLS: true}).sendMail({from: 'shop@example.com', to, subject: 'Confirm it', text: '${mailText}'});
};`;

type Workflow = {readonly steps: ReadonlyArray<{readonly run?: string}>};

export const stories: Stories = {
	'Install: sh': {
		async run(code, world) {
			await world.sh(`npm init --yes\n${code}`, await startRegistry(world));
			expect(await readdir(path.join(world.folder, 'node_modules'))).toEqual(expect.arrayContaining(['tinbox']));
			expect(await world.sh('npx tinbox --version')).toMatch(/^\d+\.\d+\.\d+/);
		},
	},
	'In 30 seconds: sh': {
		async run(code, {packages, sh}) {
			await packages();
			expect(await sh(code)).toBe(printed);
		},
	},
	'In 30 seconds: output': {
		async run(code) {
			expect(code).toBe(`${printed}\n`);
		},
	},
	'In your tests: js': {
		async run(code, {packages, files, sh}) {
			await packages('vitest', 'nodemailer');
			await files({'sign-up.js': signUp, 'sign-up.test.js': code, 'package.json': '{"type": "module"}'});
			// The default of 5 seconds is too short on a busy machine.
			expect(await sh('npx tinbox run -- npx vitest run --testTimeout 60000')).toContain('1 passed');
		},
	},
	'Run the tests, here and in CI: sh': {
		async run(code, {packages, files, sh}) {
			await packages();
			await files({'package.json': manifest});
			expect(await sh(code)).toContain(printed);
		},
	},
	'Run the tests, here and in CI: yaml': {
		async run(code, world) {
			const {steps} = parse(code) as Workflow;
			const npm = await startRegistry(world);
			await world.files({'package.json': manifest});
			await world.sh('npm install --package-lock-only --save-dev tinbox', npm);
			expect(await world.sh(steps.flatMap(({run}) => run ?? []).join('\n'), npm)).toContain(printed);
			expect(await readdir(path.join(world.folder, 'node_modules'))).toContain('tinbox');
		},
	},
	'When a test fails: output': {
		async run(code, {sh}) {
			const printed = await sh(`
				addr=$(tinbox inbox create)
				tinbox send "$addr" --from hello@shop.example --subject 'Welcome to the shop'
				tinbox send k3v8@tinbox.test 2> /dev/null || true
				tinbox messages wait "$addr" --subject Confirm --timeout 1s --field code 2>&1 || echo "$addr"`);
			const [, address = ''] = /(\S+)$/.exec(printed) ?? [];
			const expected = code.replaceAll('k3v9@tinbox.test', address).replace('4s', '1s');
			expect(printed.replace(/just now|\d+ s ago/, '3 s ago')).toContain(expected);
		},
	},
	'See the mail: sh': {
		needs: ['script'],
		async run(code, world) {
			await world.packages();
			await world.sh(`tinbox send "$(tinbox inbox create)" --subject 'Confirm it'`);
			const page = path.join(world.folder, 'page');
			await world.files({browser: `#!/bin/sh\necho "$1" > '${page}'\n`, 'see.sh': code});
			await world.sh('chmod +x browser');
			const env = {...world.env, BROWSER: path.join(world.folder, 'browser')};
			const pty = await Pty.open({rows: 30, columns: 100, cwd: world.folder, env});
			onTestFinished(async () => pty.close());
			pty.type('sh see.sh\r');
			await pty.until(text => pty.screen.isAlternate && text.includes('Confirm it'));
			pty.type('q');
			await pty.until(() => !pty.screen.isAlternate);
			expect(await openedUrl(page, world)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/app\/#enter=/);
		},
	},
};

const printed = '493028';

/** Waits for the URL that the browser was started with. */
async function openedUrl(page: string, {sh}: World): Promise<string> {
	return sh(`until [ -s '${page}' ]; do sleep 0.1; done; cat '${page}'`);
}
