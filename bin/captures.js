/** `npm run captures`: takes the pictures in `docs/assets`, of `tinbox watch` in a terminal and of the web page in Chromium. */
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const outfile = fileURLToPath(new URL('captures/.build/run.js', import.meta.url));
await build({
	entryPoints: [fileURLToPath(new URL('captures/run.ts', import.meta.url))],
	outfile,
	bundle: true,
	packages: 'external',
	format: 'esm',
	platform: 'node',
});
await import(outfile);
