import {fileURLToPath} from 'node:url';

/**
 * Bundles other modules in place of dependencies; `stand-ins/` has the reasons.
 * @type {import('esbuild').Plugin}
 */
export const standIns = {
	name: 'stand-ins',
	setup({onResolve}) {
		onResolve({filter: /^prom-client$/}, () => ({
			path: fileURLToPath(new URL('stand-ins/prom-client.js', import.meta.url)),
		}));
	},
};
