/** Bundles `src` into `dist`: the CLI, which loads its parts on demand, and the worker threads of the daemon. */
import {mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = path.join(root, 'dist');

const {metafile, outputFiles} = await build({
	absWorkingDir: root,
	entryPoints: {
		main: 'src/main.ts',
		'mime-worker': 'src/mime/worker.ts',
		'compact-worker': 'src/store/json/compact-worker.ts',
	},
	outdir,
	bundle: true,
	splitting: true,
	minify: true,
	keepNames: true,
	format: 'esm',
	platform: 'node',
	target: 'node20',
	metafile: true,
	// Written below, so that a failed build leaves the last good one.
	write: false,
	logLevel: 'warning',
	define: {'process.env.NODE_ENV': '"production"'},
	// Bundled CommonJS packages call require, which ES modules do not have.
	banner: {js: "import {createRequire as requireFrom} from 'node:module';const require=requireFrom(import.meta.url);"},
});
await rm(outdir, {recursive: true, force: true});
await mkdir(outdir);
for (const file of outputFiles) {
	await writeFile(file.path, file.contents);
}

await writeFile(path.join(outdir, 'meta.json'), JSON.stringify(metafile));
await writeFile(path.join(outdir, 'THIRD-PARTY-LICENSES.txt'), await licensesOf(Object.keys(metafile.inputs)));

/**
 * The licence texts of every package that went into the bundle.
 * @param {string[]} inputs paths of bundled files
 */
async function licensesOf(inputs) {
	const folders = new Set(inputs.map(input => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]));
	const texts = [];
	for (const folder of [...folders].filter(folder => folder !== undefined).sort()) {
		const {name, version, license} = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'));
		texts.push(`${name} ${version} (${license})\n\n${await licenseText(path.join(root, folder))}`);
	}

	return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** @param {string} folder of a package */
async function licenseText(folder) {
	for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'license.md', 'LICENCE', 'COPYING']) {
		const text = await readFile(path.join(folder, name), 'utf8').catch(() => undefined);
		if (text !== undefined) {
			return text;
		}
	}

	return 'The package ships no licence text.\n';
}
