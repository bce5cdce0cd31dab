import {readFile} from 'node:fs/promises';
import path from 'node:path';

/** What takes the place of the CommonJS statements in commander. */
const rewrites = /** @type {const} */ ([
	// Only for subcommands that are programs of their own.
	[/^const childProcess = require\('node:child_process'\);$/gm, 'const childProcess = undefined;'],
	[/^const (\w+) = require\('([^']+)'\);$/gm, "import $1 from '$2';"],
	[/^const (\w+) = require\('([^']+)'\)\.(\w+);$/gm, "import {$3 as $1} from '$2';"],
	[/^const (\{[^}]+\}) = require\('([^']+)'\);$/gm, "import $1 from '$2';"],
	[/^exports\.(\w+) = \1;/gm, 'export {$1};'],
]);

/**
 * Bundles commander as the ES modules that it could be: the functions around CommonJS modules are parsed twice, which
 * every command would pay for.
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
			if (/\brequire\(|^(?:module\.)?exports\b/m.test(contents.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''))) {
				throw new Error(`${file} is not written as the build expects it.`);
			}

			return {contents};
		});
	},
};
