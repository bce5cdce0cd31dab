import path from 'node:path';

/**
 * Keeps what the CLI loads at start in one chunk: opening a file costs more than reading the code in it. esbuild cuts a
 * chunk wherever the sets of entry points that share a module differ, so every module that is loaded on demand is made to
 * share all that is there at start.
 * @param {string} start the module that loads all that is there at start
 * @returns {import('esbuild').Plugin}
 */
export function startChunk(start) {
	return {
		name: 'start-chunk',
		setup({onResolve, onLoad}) {
			onResolve({filter: /^\.{1,2}\//}, ({kind, path: target, importer, resolveDir}) => {
				const isOurs = kind === 'dynamic-import' && !importer.includes('node_modules');
				return isOurs ? {path: path.resolve(resolveDir, target), namespace: 'on-demand'} : undefined;
			});
			onLoad({filter: /./, namespace: 'on-demand'}, ({path: target}) => ({
				contents: `import ${JSON.stringify(start)}; export * from ${JSON.stringify(target)};`,
				resolveDir: path.dirname(target),
			}));
		},
	};
}
