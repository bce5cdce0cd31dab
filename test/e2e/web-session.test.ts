import {chmod, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, vi} from 'vitest';
import {cliTest} from '../helpers/cli.js';
import {WebApp} from '../helpers/web-app.js';

cliTest(
	'tinbox open creates a single-use login link, and tinbox keys lists and revokes the session',
	async ({home, env, cli}) => {
		const {url} = JSON.parse((await cli('daemon', 'start', '--json')).stdout);
		const address = (await cli('inbox', 'create', '--name', 'signup')).stdout.trim();
		await cli('send', address, '--subject', 'Hello', '--text', 'Hello');
		await cli('messages', 'wait', address);

		const [browser, visited] = [path.join(home, 'browser'), path.join(home, 'visited')];
		await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > ${visited}.part && mv ${visited}.part ${visited}\n`);
		await chmod(browser, 0o700);
		env['BROWSER'] = browser;
		const opened = await cli('open', 'signup', 'latest');
		const link = await vi.waitFor(async () => readFile(visited, 'utf8'));
		expect(opened).toMatchObject({exitCode: 0, stdout: `${link}\n`, stderr: ''});
		expect(link).toMatch(new RegExp(`^${new URL(url).origin}/app/inboxes/[\\da-f-]{36}/messages/[\\da-f-]{36}#enter=`));

		const app = await WebApp.open({url}, {link});
		expect(await app.status('GET', '/app/v1/inboxes')).toBe(200);
		const again = await cli('open', '--no-browser');
		expect(again.exitCode).toBe(0);
		expect(again.stdout).not.toBe(link);

		const {web_sessions: sessions} = JSON.parse((await cli('keys', 'list', '--json')).stdout);
		expect(sessions).toHaveLength(1);
		expect((await cli('keys', 'revoke', sessions[0].id)).exitCode).toBe(0);
		expect(await app.status('GET', '/app/v1/inboxes')).toBe(401);
		expect((await cli('keys', 'revoke', sessions[0].id)).exitCode).toBe(5);
	},
);
