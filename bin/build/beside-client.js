/**
 * Makes a kit import the client instead of bundling it, so that both have the same error classes.
 * @param {string} file file of the client
 * @returns {import('esbuild').Plugin}
 */
export function besideClient(file) {
	return {
		name: 'beside-client',
		setup({onResolve}) {
			onResolve({filter: /\/client\/suite\.js$/}, () => ({path: file, external: true}));
		},
	};
}
