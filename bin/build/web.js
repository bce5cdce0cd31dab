import path from 'node:path';
import {promisify} from 'node:util';
import {brotliCompress, constants, gzip} from 'node:zlib';
import {build} from 'esbuild';

/** Maximum size of the page with gzip. */
const maxBytes = 80 * 1024;

/**
 * Bundles `src/ui/web`: `index.html`, scripts and styles, each also compressed (`.br`, `.gz`). The names of scripts and styles
 * contain a hash.
 * @param {string} root
 * @param {string} outdir
 */
export async function webFiles(root, outdir) {
	const {outputFiles, metafile} = await build({
		absWorkingDir: root,
		entryPoints: {app: 'src/ui/web/main.tsx', style: 'src/ui/web/style/style.css'},
		outdir,
		entryNames: 'assets/[name]-[hash]',
		bundle: true,
		minify: true,
		format: 'esm',
		platform: 'browser',
		target: 'es2022',
		jsx: 'automatic',
		jsxImportSource: 'preact',
		metafile: true,
		write: false,
		logLevel: 'warning',
		legalComments: 'none',
	});
	const plain = [
		...outputFiles.map(({path: file, contents}) => ({path: file, contents: Buffer.from(contents)})),
		{path: path.join(outdir, 'index.html'), contents: Buffer.from(indexPage(outputFiles.map(({path}) => path)))},
	];
	const compressed = await Promise.all(plain.flatMap(file => [brotliOf(file), gzipOf(file)]));
	const size = compressed
		.filter(({path}) => path.endsWith('.gz'))
		.reduce((sum, {contents}) => sum + contents.length, 0);
	if (size > maxBytes) {
		throw new Error(`The page in the browser takes ${size} bytes compressed; ${maxBytes} is the most.`);
	}

	return {files: [...plain, ...compressed], inputs: Object.keys(metafile.inputs)};
}

/** @param {readonly string[]} files */
function indexPage(files) {
	const urlOf = (/** @type {string} */ extension) =>
		`/app/assets/${path.basename(files.find(file => file.endsWith(extension)) ?? '')}`;
	const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="3" width="14" height="10" rx="2" fill="#1f55c8"/><path d="M2.5 5.5 8 9l5.5-3.5" fill="none" stroke="#fff" stroke-width="1.5"/></svg>`;
	return [
		'<!doctype html>',
		'<html lang="en">',
		'<head>',
		'<meta charset="utf-8">',
		'<meta name="viewport" content="width=device-width, initial-scale=1">',
		'<meta name="color-scheme" content="light dark">',
		'<title>tinbox</title>',
		`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">`,
		`<link rel="stylesheet" href="${urlOf('.css')}">`,
		`<script type="module" src="${urlOf('.js')}"></script>`,
		'</head>',
		'<body>',
		'<noscript>This page needs JavaScript. In a terminal, <code>tinbox watch</code> shows the mail.</noscript>',
		'</body>',
		'</html>',
		'',
	].join('\n');
}

/** @param {{path: string, contents: Buffer}} file */
async function brotliOf({path: file, contents}) {
	const params = {[constants.BROTLI_PARAM_SIZE_HINT]: contents.length};
	return {path: `${file}.br`, contents: await promisify(brotliCompress)(contents, {params})};
}

/** @param {{path: string, contents: Buffer}} file */
async function gzipOf({path: file, contents}) {
	return {path: `${file}.gz`, contents: await promisify(gzip)(contents, {level: constants.Z_BEST_COMPRESSION})};
}
