/**
 * Loads Node.js modules by `process.getBuiltinModule` instead of `import`. An import reads every member of a module, and some
 * members, such as `http.WebSocket`, load much unused code. Here each member is a separate export, and unused ones are removed.
 *
 * It saves `tinbox inbox list` about 5 % of the time of an empty program.
 * @type {import('esbuild').Plugin}
 */
export const builtinModules = {
	name: 'builtin-modules',
	setup({onResolve, onLoad}) {
		onResolve({filter: /^node:/}, ({kind, path, importer}) =>
			// One module per importing file, since a shared one would become a chunk, and opening a file is slower.
			kind === 'import-statement' ? {path, namespace: 'builtin', suffix: `?${importer}`} : undefined,
		);
		onLoad({filter: /./, namespace: 'builtin'}, ({path}) => {
			const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter(name => name !== 'default');
			return {
				contents: [
					`const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
					'export default builtin;',
					...names.map(name => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`),
				].join('\n'),
			};
		});
	},
};
