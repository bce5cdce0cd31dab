import {chmod, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {expect} from 'vitest';
import {cliTest} from '../../helpers/cli.js';

/** Nobody, as most systems number it. */
const nobody = {uid: 65_534, gid: 65_534};

/** What somebody without anything can ask of the app. */
const requests = [
	['GET', '/app/session'],
	['POST', '/app/session', '{"link":"guessed"}'],
	['POST', '/app/session', '{}'],
	// Of somebody else, as it may stand on the command line of a browser.
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

/** Says what each request was answered with, and which files can be read. */
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
const look = async place => {
	for (const entry of await readdir(place, {withFileTypes: true}).catch(() => [])) {
		const file = place + '/' + entry.name;
		await (entry.isDirectory() ? look(file) : readFile(file).then(() => readable.push(entry.name), () => {}));
	}
};
await look(folder);
console.log(JSON.stringify({answers, readable}));
`;

if (process.getuid?.() !== 0) {
	console.warn('Only root can be another user: what those get of the inbox in the browser is not tried.');
}

cliTest.skipIf(process.getuid?.() !== 0)('another user of the machine gets nothing', async ({home, cli}) => {
	const {url} = JSON.parse((await cli('daemon', 'start', '--json')).stdout);
	await cli('inbox', 'create');
	// As lax as a home folder can be.
	await chmod(home, 0o755);
	await writeFile(path.join(home, 'for all'), '');
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
	expect(readable).toEqual(['for all']);
});
