/** `npm run captures`: draws the screens of `tinbox watch`, as it runs in a terminal, into `docs/watch-*.svg`. */
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
