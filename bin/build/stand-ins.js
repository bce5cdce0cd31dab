import {fileURLToPath} from 'node:url';

/**
 * Replaces dependencies by the modules in `stand-ins/`, which contain the reasons.
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
