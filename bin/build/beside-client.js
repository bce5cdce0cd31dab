/**
 * Leaves the client out of a kit, which finds it beside itself: an error is of the same class then, whichever of them a test
 * imports that class from.
 * @param {string} file of the client
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
