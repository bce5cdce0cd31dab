/** Bundles `src` into `dist`: the CLI with the daemon, its worker threads, the client and kits, and the web app. */
import {cp, mkdir, rm, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {besideClient} from './build/beside-client.js';
import {builtinModules} from './build/builtins.js';
import {licensesOf} from './build/licenses.js';
import {standIns} from './build/stand-ins.js';
import {startChunk} from './build/start-chunk.js';
import {typesOf} from './build/types.js';
import {webFiles} from './build/web.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = path.join(root, 'dist');

/** @type {import('esbuild').BuildOptions} */
const common = {
	absWorkingDir: root,
	outdir,
	bundle: true,
	minify: true,
	format: 'esm',
	platform: 'node',
	target: 'node20',
	metafile: true,
	// Files are written at the end, so that a failed build leaves the previous one.
	write: false,
	logLevel: 'warning',
	define: {'process.env.NODE_ENV': '"production"'},
	plugins: [builtinModules],
	// Bundled CommonJS packages call `require`, which ES modules do not have.
	banner: {
		js: "const require=id=>process.getBuiltinModule(id)??process.getBuiltinModule('module').createRequire(import.meta.url)(id);",
	},
};
/** Bundles for `require`, as in Jest and Mocha. @type {import('esbuild').BuildOptions} */
const commonjs = {
	...common,
	format: 'cjs',
	outExtension: {'.js': '.cjs'},
	define: {...common.define, 'import.meta.dirname': '__dirname'},
	banner: {},
};
/** Test frameworks, which the kits import from the user's project. */
const frameworks = ['vitest', '@playwright/test', '@jest/globals'];
const workers = {
	'snapshot-worker': 'src/store/json/snapshot-worker.ts',
	'issue-worker': 'src/tls/issue-worker.ts',
	'mime-worker': 'src/mime/worker.ts',
	'send-worker': 'src/send/worker.ts',
};
const [cli, ...others] = await Promise.all([
	build({
		...common,
		entryPoints: {main: 'src/main.ts'},
		splitting: true,
		plugins: [startChunk(path.join(root, 'src/cli/run.ts')), builtinModules, standIns],
	}),
	// The workers share the code for mail. Template engines are loaded on first use.
	build({...common, entryPoints: workers, splitting: true}),
	build({...common, entryPoints: {client: 'src/client/suite.ts', version: 'src/print-version.ts'}}),
	build({...commonjs, entryPoints: {client: 'src/client/suite.ts'}}),
	build({
		...common,
		entryPoints: {vitest: 'src/kits/vitest.ts'},
		external: frameworks,
		plugins: [builtinModules, besideClient('./client.js')],
	}),
	build({
		...commonjs,
		entryPoints: {playwright: 'src/kits/playwright.ts', jest: 'src/kits/jest.ts'},
		external: frameworks,
		plugins: [builtinModules, besideClient('./client.cjs')],
	}),
]);
const types = await typesOf(root);
const web = await webFiles(root, path.join(outdir, 'web'));

await rm(outdir, {recursive: true, force: true});
await mkdir(path.join(outdir, 'web/assets'), {recursive: true});
const outputs = [cli, ...others].flatMap(({outputFiles = []}) => outputFiles);
for (const {path: file, contents} of [...outputs, ...web.files]) {
	await writeFile(file, contents);
}

const inputs = [cli, ...others]
	.flatMap(({metafile}) => Object.keys(metafile?.inputs ?? {}))
	.concat(web.inputs)
	.filter(input => !input.startsWith('builtin:'));
for (const [name, text] of types) {
	await writeFile(path.join(outdir, name), text);
}

await cp(path.join(root, 'src/kits'), path.join(outdir, 'kits'), {
	recursive: true,
	filter: file => !file.endsWith('.ts'),
});

await writeFile(path.join(outdir, 'meta.json'), JSON.stringify(cli.metafile));
await writeFile(path.join(outdir, 'THIRD-PARTY-LICENSES.txt'), await licensesOf(root, inputs));
