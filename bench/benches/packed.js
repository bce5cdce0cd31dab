import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The size of the package, packed from the existing dist/.
 * @type {import('../run.js').Bench}
 */
export async function packed() {
	const {stdout} = await execa('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {cwd: root});
	const [{size}] = JSON.parse(stdout);
	const {dependencies = {}} = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
	const megabytes = size / 1_000_000;
	const count = Object.keys(dependencies).length;
	return [
		{what: 'packed package', tinbox: `${megabytes.toFixed(2)} MB`, value: megabytes, goal: {atMost: 3}},
		{what: 'runtime dependencies', tinbox: String(count), value: count, goal: {atMost: 0}},
	];
}
