import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, onTestFinished, vi} from 'vitest';
import {Pty} from '../../helpers/pty.js';
import type {Stories} from './world.js';

/** Stories of `docs/browser-and-terminal.md`. */
export const stories: Stories = {
	'Browser and terminal: sh': {
		needs: ['script'],
		async run(code, {sh, env, folder}) {
			await sh(`
				tinbox inbox create --name signup
				tinbox send signup --subject 'Confirm it'
				printf '#!/bin/sh\\necho "$1" >> visited' > browser && chmod +x browser`);
			const pty = await Pty.open({
				columns: 100,
				rows: 30,
				cwd: folder,
				env: {...env, BROWSER: path.join(folder, 'browser')},
			});
			onTestFinished(async () => pty.close());
			const visited = async () => (await readFile(path.join(folder, 'visited'), 'utf8').catch(() => '')).split('\n');
			const [open, openMessage, watch, tail] = code.trim().split('\n');

			pty.type(`${open}\r`);
			await vi.waitFor(async () => expect((await visited())[0]).toMatch(/\/app\/#enter=/), {timeout: 20_000});
			pty.type(`${openMessage}\r`);
			const address = /\/app\/inboxes\/[\da-f-]{36}\/messages\/[\da-f-]{36}#enter=/;
			await vi.waitFor(async () => expect((await visited())[1]).toMatch(address), {timeout: 20_000});

			pty.type(`clear; ${watch}\r`);
			await pty.shows('tinbox ● live', 'Confirm it');
			pty.type('q');
			await pty.until(text => !text.includes('● live'));
			pty.type(`clear; ${tail}\r`);
			await vi.waitFor(
				async () => {
					await sh(`tinbox send signup --subject 'Reset it'`);
					await pty.until(text => text.includes('Reset it'));
				},
				{timeout: 60_000},
			);
			pty.type('\x03');
		},
	},
};
