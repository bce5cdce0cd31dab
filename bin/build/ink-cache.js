import {readFile} from 'node:fs/promises';

const mostTexts = 2000;
const remember = 'cache.set(text, dimensions);';

/**
 * ink remembers the size of every text that it ever measured, for ever: a `tinbox watch` that is open all day beside
 * much mail would grow by tens of megabytes an hour. Bundled, it begins anew after so many texts, which is many frames.
 *
 * @type {import('esbuild').Plugin}
 */
export const boundedInkCache = {
	name: 'bounded-ink-cache',
	setup(build) {
		build.onLoad({filter: /[\\/]ink[\\/]build[\\/]measure-text\.js$/}, async ({path}) => {
			const source = await readFile(path, 'utf8');
			if (!source.includes(remember)) {
				throw new Error(`${path} does not say "${remember}" any more: see whether its cache still grows.`);
			}

			return {contents: source.replace(remember, `if (cache.size === ${mostTexts}) cache.clear();\n${remember}`)};
		});
	},
};
