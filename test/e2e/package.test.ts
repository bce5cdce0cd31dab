import {readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {describe, expect, onTestFinished, test} from 'vitest';
import {runCli} from '../helpers/cli.js';
import {tempDir} from '../helpers/temp-dir.js';
import {tinboxOnPath} from '../helpers/tinbox-on-path.js';

const root = path.join(import.meta.dirname, '../..');
const maxBytes = 3_000_000;

type Packed = {
	readonly filename: string;
	readonly size: number;
	readonly files: ReadonlyArray<{readonly path: string}>;
};

/** Packs the existing build; a new build would disturb other tests. */
async function pack(folder: string): Promise<Packed> {
	const {stdout} = await npm('pack', '--json', '--ignore-scripts', '--pack-destination', folder);
	const [packed] = JSON.parse(stdout);
	return packed;
}

async function npm(...args: readonly string[]) {
	return execa('npm', [...args, '--offline', '--no-audit', '--no-fund', '--no-update-notifier'], {cwd: root});
}

/** Installs the package globally below a new prefix, offline and without scripts. */
async function install(): Promise<{readonly prefix: string; readonly modules: string}> {
	const prefix = await tempDir();
	const {filename} = await pack(prefix);
	await npm('install', '--global', '--ignore-scripts', '--prefix', prefix, path.join(prefix, filename));
	return {prefix, modules: path.join(prefix, 'lib/node_modules')};
}

/** Relative targets of the links and images of a page. */
async function relativeLinks(page: string): Promise<readonly string[]> {
	const text = await readFile(path.join(root, page), 'utf8');
	const prose = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '');
	return [...prose.matchAll(/\]\((?![a-z]+:)([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link);
}

describe('the npm package', () => {
	test('contains exactly the expected files and is smaller than 3 MB', async () => {
		const {size, files} = await pack(await tempDir());
		expect(size).toBeLessThan(maxBytes);
		const paths = files.map(file => file.path).sort();
		const web = paths.filter(file => file.startsWith('dist/web/')).map(file => file.replace(/-\w{8}\./, '.'));
		const names = ['assets/app.js', 'assets/style.css', 'index.html'];
		expect(web).toEqual(names.flatMap(name => ['', '.br', '.gz'].map(coding => `dist/web/${name}${coding}`)));
		expect(paths.filter(file => !/^dist\/(?:[\w-]+\.js$|web\/)|^docs\//.test(file))).toEqual([
			'ARCHITECTURE.md',
			'CHANGELOG.md',
			'CONTRIBUTING.md',
			'LICENSE',
			'README.md',
			'SECURITY.md',
			'bin/tinbox.js',
			'completions/_tinbox',
			'completions/tinbox.bash',
			'completions/tinbox.fish',
			'dist/THIRD-PARTY-LICENSES.txt',
			'dist/client.cjs',
			'dist/client.d.cts',
			'dist/client.d.ts',
			'dist/jest.cjs',
			'dist/jest.d.cts',
			'dist/kits/conftest_tinbox.py',
			'dist/playwright.cjs',
			'dist/playwright.d.cts',
			'dist/vitest.d.ts',
			'package.json',
			'test/README.md',
		]);
		expect(paths).toEqual(
			expect.arrayContaining([
				'dist/main.js',
				'dist/client.js',
				'dist/vitest.js',
				'dist/mime-worker.js',
				'dist/snapshot-worker.js',
				'dist/issue-worker.js',
			]),
		);
	});

	test('contains every file that its pages link to, and no unused images', async () => {
		const {files} = await pack(await tempDir());
		const packed = files.map(file => file.path);
		const pages = packed.filter(file => file.endsWith('.md'));
		const linked = new Set<string>();
		const broken: string[] = [];
		for (const page of pages) {
			for (const link of await relativeLinks(page)) {
				const target = path.posix.join(path.posix.dirname(page), link);
				linked.add(target);
				if (!packed.some(file => file === target || file.startsWith(`${target}/`))) {
					broken.push(`${page}: ${link}`);
				}
			}
		}

		expect(broken).toEqual([]);
		expect(packed.filter(file => file.startsWith('docs/assets/') && !linked.has(file))).toEqual([]);
	});

	test('has no dependencies and no install scripts', async () => {
		const folder = await tempDir();
		const {filename} = await pack(folder);
		const packed = await execa('tar', ['-xOf', path.join(folder, filename), 'package/package.json']);
		const manifest = JSON.parse(packed.stdout);
		expect(manifest).not.toHaveProperty('dependencies');
		expect(manifest).not.toHaveProperty('optionalDependencies');
		const peers = Object.keys(manifest.peerDependencies);
		expect(peers.filter(name => manifest.peerDependenciesMeta[name]?.optional !== true)).toEqual([]);
		const installScripts = /^((pre|post)?(install|prepare)|prepublish)$/;
		expect(Object.keys(manifest.scripts).filter(name => installScripts.test(name))).toEqual([]);
	});

	test('lists the license of every bundled package', async () => {
		const {inputs} = JSON.parse(await readFile(path.join(root, 'dist/meta.json'), 'utf8'));
		const bundled = Object.keys(inputs).flatMap(input => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
		const licences = await readFile(path.join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
		for (const name of new Set(bundled)) {
			expect(licences).toContain(`${name} `);
		}
	});

	test('runs the command line, the daemon and the completions from a global installation', async () => {
		const {prefix} = await install();
		const env = {PATH: process.env['PATH'] ?? '', TINBOX_HOME: prefix, TINBOX_SMTP_PORT: '0', TINBOX_HTTP_PORT: '0'};
		const tinbox = (...args: readonly string[]) =>
			execa(path.join(prefix, 'bin/tinbox'), args, {env, extendEnv: false});
		onTestFinished(async () => {
			await tinbox('daemon', 'stop');
		});
		const {stdout: address} = await tinbox('inbox', 'create');
		await tinbox('send', address, '--text', 'Your code is 4711.');
		expect((await tinbox('messages', 'wait', address, '--field', 'code')).stdout).toBe('4711');
		expect((await tinbox('completion', 'bash')).stdout).toContain('complete -F _tinbox tinbox');
	});
});

const moduleSuite = `
import {createClient, type MessageBody, TimeoutError} from 'tinbox';
const tinbox = createClient();
const {id, email_address} = await tinbox.inboxes.create({name: 'suite'});
const message: MessageBody = await tinbox.messages.wait(email_address, {subject: /code$/}, {timeoutMs: 20_000});
const code: string | undefined = message.codes[0];
// @ts-expect-error A filter has no such member.
const reason = await tinbox.messages.wait(id, {colour: 'red'}, {timeoutMs: 100}).catch(error => error);
const late = await tinbox.messages.wait(id, {from: 'nobody'}, {timeoutMs: 100}).catch((error: unknown) => error);
console.log(JSON.stringify({to: message.to === email_address, code, late: late instanceof TimeoutError && late.message, reason: reason.name}));
`;

const commonJsSuite = `
import {createClient, TimeoutError} from 'tinbox';
const {messages} = createClient();
const wait = async (): Promise<void> => {
	const late = await messages.wait('nobody@tinbox.test').catch((error: unknown) => error);
	console.log(late instanceof Error && late.name, late instanceof TimeoutError, typeof require);
};
wait();
`;

describe('the client of the package', () => {
	test('type-checks as ES module and CommonJS, and connects to the daemon of "tinbox run"', {
		timeout: 120_000,
	}, async () => {
		const {prefix, modules} = await install();
		const project = path.join(prefix, 'lib');
		await writeFile(path.join(project, 'suite.mts'), moduleSuite);
		await writeFile(path.join(project, 'suite.cts'), commonJsSuite);
		const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
		const compiler = path.join(root, 'node_modules/.bin/tsc');
		const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022'];
		await execa(compiler, [...options, ...types, 'suite.mts', 'suite.cts'], {cwd: project});

		const env = await tinboxOnPath(prefix, {PATH: process.env['PATH'] ?? '', HOME: modules});
		const send = 'until tinbox send suite --subject "Your code" --text "Your code is 4711."; do sleep 0.1; done';
		const {exitCode, stdout} = await runCli(env, ['run', '--', 'sh', '-c', `(${send}) & node suite.mjs; wait`], {
			cwd: project,
		});
		expect(exitCode).toBe(0);
		expect(JSON.parse(stdout)).toEqual({
			to: true,
			code: '4711',
			late: expect.stringContaining(
				'Arrived, but did not match (closest first):\n  "Your code" from hello@tinbox.test',
			),
			reason: 'ApiError',
		});
		// Like Node.js before 20.19, which cannot require ES modules.
		const required = await runCli(env, ['run', '--', 'node', '--no-experimental-require-module', 'suite.cjs'], {
			cwd: project,
		});
		expect(required).toMatchObject({stderr: '', stdout: 'ApiError false function\n'});
	});

	test('explains how to connect if no daemon is configured', async () => {
		const code = `import {createClient} from '${path.join(root, 'dist/client.js')}'; createClient();`;
		const {stderr} = await execa(process.execPath, ['--input-type=module', '-e', code], {
			reject: false,
			extendEnv: false,
			env: {},
		});
		expect(stderr).toContain(
			'Run the tests with "tinbox run", set TINBOX_URL and TINBOX_API_KEY, or pass {url, apiKey}.',
		);
	});
});
