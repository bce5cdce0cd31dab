import {spawnSync} from 'node:child_process';
import {mkdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import path from 'node:path';
import {text} from 'node:stream/consumers';
import {execa} from 'execa';
import {expect, onTestFinished} from 'vitest';
import {endDaemon, ownEnv} from '../../helpers/cli.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {tinboxOnPath} from '../../helpers/tinbox-on-path.js';
import {root} from './blocks.js';

type Env = Record<string, string>;

/** The environment of a reader: `tinbox` is on the PATH, no daemon runs, and only loopback is reachable. */
export type World = {
	/** Working directory of commands. */
	readonly folder: string;
	readonly env: Env;
	/** Runs a bash script, asserts that it succeeds and returns its standard output. */
	sh(script: string, more?: Env): Promise<string>;
	/** Writes files into the folder. */
	files(contents: Readonly<Record<string, string>>): Promise<void>;
	/** Links `tinbox` and packages of the repository's `node_modules` into the folder, with their commands. */
	packages(...names: readonly string[]): Promise<void>;
};

/** The test of a code block. */
export type Story = {
	/** Required programs (`curl`) and Python modules (`python3 requests`); otherwise the story is skipped. */
	readonly needs?: readonly string[];
	run(code: string, world: World): Promise<void>;
};

export type Stories = Readonly<Record<string, Story>>;

export const mailText = 'Your verification code is 493028.';

export async function createWorld(): Promise<World> {
	const home = await tempDir();
	const folder = path.join(home, 'work');
	await mkdir(folder);
	const env = await tinboxOnPath(home, {...ownEnv(home), TINBOX_HOME: path.join(home, 'tinbox')});
	onTestFinished(async () => {
		await endDaemon(env);
	});
	return {
		folder,
		env,
		async sh(script, more = {}) {
			const {exitCode, stdout, stderr} = await execa('bash', ['-c', `set -eo pipefail\n${script}`], {
				cwd: folder,
				env: {...env, ...more},
				extendEnv: false,
				reject: false,
				timeout: 110_000,
			});
			expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: expect.any(String)});
			return stdout;
		},
		async files(contents) {
			for (const [name, content] of Object.entries(contents)) {
				const file = path.join(folder, name);
				await mkdir(path.dirname(file), {recursive: true});
				await writeFile(file, content);
			}
		},
		async packages(...names) {
			const modules = path.join(folder, 'node_modules');
			const commands = path.join(modules, '.bin');
			await mkdir(commands, {recursive: true});
			for (const name of ['tinbox', ...names]) {
				const from = name === 'tinbox' ? root : path.join(root, 'node_modules', name);
				const link = path.join(modules, name);
				await mkdir(path.dirname(link), {recursive: true});
				await symlink(from, link);
				const {bin = {}} = JSON.parse(await readFile(path.join(from, 'package.json'), 'utf8'));
				for (const [command, file] of Object.entries<string>(typeof bin === 'string' ? {[name]: bin} : bin)) {
					await symlink(path.join(from, file), path.join(commands, command));
				}
			}
		},
	};
}

/** True if a program (`curl`) or a Python module (`python3 requests`) is installed. */
export function isInstalled(need: string): boolean {
	const [program = '', module] = need.split(' ');
	const args = module === undefined ? ['-c', `command -v ${program}`] : ['-c', `${program} -c 'import ${module}'`];
	return spawnSync('sh', args).status === 0;
}

/**
 * Starts an app that mails a code to the form field `email` of a `POST`, through the tinbox in the temporary folder.
 * With a `status` other than 200, it sends no mail.
 */
export async function startApp(world: World, status = 200): Promise<Server> {
	return serveApp(world, async email => {
		if (status === 200) {
			const send = `tinbox send "$email" --subject 'Confirm it' --text '${mailText}'`;
			await world.sh(`TINBOX_HOME=$(echo "$TMPDIR"/tmp.*) ${send}`, {email});
		}

		return status;
	});
}

/**
 * Serves an app on a free port that curl reaches as `localhost:3000`. `signUp` gets the form field `email` and returns the
 * response status.
 */
export async function serveApp({env}: World, signUp: (email: string) => Promise<number>): Promise<Server> {
	const server = createServer(async (request, response) => {
		const email = new URLSearchParams(await text(request)).get('email') ?? '';
		response.writeHead(await signUp(email)).end();
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	const {port} = server.address() as AddressInfo;
	await writeFile(path.join(env['HOME'] ?? '', '.curlrc'), `connect-to = "localhost:3000:127.0.0.1:${port}"\n`);
	return server;
}
