import {readFile} from 'node:fs/promises';
import path from 'node:path';

/** The CommonJS statements of commander, and what takes their place. */
const rewrites = /** @type {const} */ ([
	// Only for subcommands that are programs of their own.
	[/^const childProcess = require\('node:child_process'\);$/gm, 'const childProcess = undefined;'],
	[/^const (\w+) = require\('([^']+)'\);$/gm, "import $1 from '$2';"],
	[/^const (\w+) = require\('([^']+)'\)\.(\w+);$/gm, "import {$3 as $1} from '$2';"],
	[/^const (\{[^}]+\}) = require\('([^']+)'\);$/gm, "import $1 from '$2';"],
	[/^exports\.(\w+) = \1;/gm, 'export {$1};'],
]);

/**
 * Bundles commander as the ES modules that it could be. esbuild puts a function around each CommonJS module, and the engine
 * reads such a function twice: first to find its end, then to run it.
 *
 * It makes `tinbox inbox list` faster by 4 % of what an empty program takes. A commander that is written otherwise than
 * expected ends the build.
 * @type {import('esbuild').Plugin}
 */
export const commanderAsModules = {
	name: 'commander-as-modules',
	setup({onLoad}) {
		onLoad({filter: /node_modules\/commander\/esm\.mjs$/}, ({path: file}) => ({
			contents: ['argument', 'command', 'error', 'help', 'option']
				.map(name => `export * from './lib/${name}.js';`)
				.join('\n'),
			resolveDir: path.dirname(file),
		}));
		onLoad({filter: /node_modules\/commander\/lib\/\w+\.js$/}, async ({path: file}) => {
			const source = await readFile(file, 'utf8');
			const contents = rewrites.reduce((text, [from, to]) => text.replaceAll(from, to), source);
			if (isCommonJs(contents)) {
				throw new Error(
					`${file} is not written as bin/build/commander.js expects it. Add the statement to "rewrites".`,
				);
			}

			return {contents};
		});
	},
};

/** @param {string} source */
function isCommonJs(source) {
	const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
	return /\brequire\(|^(?:module\.)?exports\b/m.test(code);
}
