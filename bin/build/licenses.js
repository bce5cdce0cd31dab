import {readFile} from 'node:fs/promises';
import path from 'node:path';

/**
 * The license texts of all bundled packages.
 * @param {string} root
 * @param {readonly string[]} inputs paths of bundled files, relative to the root
 */
export async function licensesOf(root, inputs) {
	const folders = new Set(inputs.map(input => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]));
	const texts = [];
	for (const folder of [...folders].filter(folder => folder !== undefined).sort()) {
		const {name, version, license} = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'));
		texts.push(`${name} ${version} (${license})\n\n${await licenseText(path.join(root, folder))}`);
	}

	return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** @param {string} folder of a package */
async function licenseText(folder) {
	for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'license.md', 'LICENCE', 'COPYING']) {
		const text = await readFile(path.join(folder, name), 'utf8').catch(() => undefined);
		if (text !== undefined) {
			return text;
		}
	}

	return 'The package ships no licence text.\n';
}
