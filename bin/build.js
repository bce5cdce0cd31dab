/** Bundles `src` into `dist`: the CLI with the daemon, the worker threads of the daemon, and the client for test suites. */
import {mkdir, rm, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {builtinModules} from './build/builtins.js';
import {clientTypes} from './build/client-types.js';
import {licensesOf} from './build/licenses.js';
import {standIns} from './build/stand-ins.js';
import {startChunk} from './build/start-chunk.js';

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
	// Written below, so that a failed build leaves the last good one.
	write: false,
	logLevel: 'warning',
	// Where DEV is set, ink would connect to the tools of its own developers, which are no part of the package.
	define: {'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"'},
	plugins: [builtinModules],
	// Bundled CommonJS packages call require, which ES modules do not have.
	banner: {
		js: "const require=id=>process.getBuiltinModule(id)??process.getBuiltinModule('module').createRequire(import.meta.url)(id);",
	},
};
const workers = {
	'mime-worker': 'src/mime/worker.ts',
	'compact-worker': 'src/store/json/compact-worker.ts',
	'issue-worker': 'src/tls/issue-worker.ts',
};
const [cli, ...others] = await Promise.all([
	build({
		...common,
		entryPoints: {main: 'src/main.ts'},
		splitting: true,
		plugins: [startChunk(path.join(root, 'src/cli/run.ts')), builtinModules, standIns],
	}),
	build({...common, entryPoints: workers}),
	build({...common, entryPoints: {client: 'src/client/suite.ts', version: 'src/print-version.ts'}}),
	// For `require`, as Jest and Mocha use it.
	build({
		...common,
		entryPoints: {client: 'src/client/suite.ts'},
		format: 'cjs',
		outExtension: {'.js': '.cjs'},
		banner: {},
	}),
]);
const types = await clientTypes(root);

await rm(outdir, {recursive: true, force: true});
await mkdir(outdir);
for (const {path: file, contents} of [cli, ...others].flatMap(({outputFiles = []}) => outputFiles)) {
	await writeFile(file, contents);
}

const inputs = [cli, ...others]
	.flatMap(({metafile}) => Object.keys(metafile?.inputs ?? {}))
	.filter(input => !input.startsWith('builtin:'));
await writeFile(path.join(outdir, 'client.d.ts'), types);
await writeFile(path.join(outdir, 'client.d.cts'), types);
await writeFile(path.join(outdir, 'meta.json'), JSON.stringify(cli.metafile));
await writeFile(path.join(outdir, 'THIRD-PARTY-LICENSES.txt'), await licensesOf(root, inputs));
