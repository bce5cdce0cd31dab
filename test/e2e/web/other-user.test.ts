import {chmod, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {expect} from 'vitest';
import {cliTest} from '../../helpers/cli.js';

/** The usual ids of the user nobody. */
const nobody = {uid: 65_534, gid: 65_534};

/** Requests without valid credentials. */
const requests = [
	['GET', '/app/session'],
	['POST', '/app/session', '{"link":"guessed"}'],
	['POST', '/app/session', '{}'],
	// A login link that is visible in the command line of another user's browser.
	['POST', '/app/session', '{"link":"{link}"}'],
	['DELETE', '/app/session'],
	['GET', '/app/v1/inboxes'],
	['POST', '/app/v1/inboxes', '{}'],
	['GET', '/app/v1/messages?fields=summary'],
	['GET', '/app/v1/events'],
	['GET', '/app/v1/users'],
	['GET', '/app/v1/users/me'],
	['GET', '/app/v1/web-sessions'],
	['GET', '/v1/web-sessions'],
	['POST', '/v1/web-sessions/links', '{}'],
	['DELETE', '/v1/web-sessions/{id}'],
	['GET', '/app/v1/inboxes/{inbox}/messages'],
	['DELETE', '/app/v1/inboxes/{inbox}'],
] as const;

type Seen = {
	readonly answers: ReadonlyArray<readonly [status: number, request: string]>;
	readonly readable: readonly string[];
};

/** Script that prints the status of each request and the readable files. */
const script = `
import {readdir, readFile} from 'node:fs/promises';
const {requests, folder, site} = JSON.parse(process.argv[1]);
const answers = [];
for (const [method, target, body] of requests) {
	for (const headers of [{}, {'X-Tinbox-App': '1'}, {'X-Tinbox-App': '1', Cookie: 'tinbox_session=guessed; tinbox_session_' + new URL(site).port + '=guessed'}]) {
		const response = await fetch(site + target, {method, body, headers: {...headers, ...(body && {'Content-Type': 'application/json'})}});
		answers.push([response.status, method + ' ' + target]);
		await response.body?.cancel();
	}
}
const readable = [];
const readFolder = async folder => {
	for (const entry of await readdir(folder, {withFileTypes: true}).catch(() => [])) {
		const file = folder + '/' + entry.name;
		await (entry.isDirectory() ? readFolder(file) : readFile(file).then(() => readable.push(entry.name), () => {}));
	}
};
await readFolder(folder);
console.log(JSON.stringify({answers, readable}));
`;

if (process.getuid?.() !== 0) {
	console.warn('Requests of another user to the web app are not tested: that requires root.');
}

cliTest.skipIf(process.getuid?.() !== 0)(
	'another user of the machine gets no data from the web app and the data folder',
	async ({home, cli}) => {
		const {url} = JSON.parse((await cli('daemon', 'start', '--json')).stdout);
		await cli('inbox', 'create');
		// A home folder that other users can list.
		await chmod(home, 0o755);
		await writeFile(path.join(home, 'public'), '');
		const [, link = ''] = (await cli('open', '--no-browser')).stdout.trim().split('#enter=');
		const sent = requests.map(request => request.map(text => text.replace('{link}', link)));
		const argument = JSON.stringify({requests: sent, folder: home, site: new URL(url).origin});
		const {stdout} = await execa(process.execPath, ['--input-type=module', '-e', script, argument], {
			...nobody,
			cwd: '/',
		});
		const {answers, readable}: Seen = JSON.parse(stdout);
		expect(answers).toHaveLength(requests.length * 3);
		expect(answers.filter(([status]) => ![400, 401, 403].includes(status))).toEqual([]);
		expect(readable).toEqual(['public']);
	},
);
