import {fileURLToPath} from 'node:url';

const measureText = fileURLToPath(new URL('stand-ins/measure-text.js', import.meta.url));

/**
 * Modules of ink and prom-client in whose place others are bundled; `stand-ins/` says why. A build that does not meet one of ink fails:
 * ink has changed, and may not need it any more.
 * @type {import('esbuild').Plugin}
 */
export const standIns = {
	name: 'stand-ins',
	setup({onResolve, onEnd}) {
		let isMet = false;
		onResolve({filter: /^\.\/measure-text\.js$/}, ({importer}) => {
			const isOfInk = /[\\/]ink[\\/]build[\\/]dom\.js$/.test(importer);
			isMet ||= isOfInk;
			return isOfInk ? {path: measureText} : undefined;
		});
		onResolve({filter: /^react-devtools-core$/}, () => ({
			path: fileURLToPath(new URL('stand-ins/devtools.js', import.meta.url)),
		}));
		onResolve({filter: /^prom-client$/}, () => ({
			path: fileURLToPath(new URL('stand-ins/prom-client.js', import.meta.url)),
		}));
		onEnd(() =>
			isMet ? undefined : {errors: [{text: 'ink does not import measure-text.js any more: see bin/build/stand-ins.'}]},
		);
	},
};
