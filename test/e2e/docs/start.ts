import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import path from 'node:path';
import {execa} from 'execa';
import {expect, onTestFinished} from 'vitest';
import {root} from './blocks.js';
import type {Stories, World} from './world.js';

/** The package as it would be published, in the folder. */
export async function pack({folder}: World): Promise<string> {
	const args = ['pack', '--json', '--offline', '--ignore-scripts', '--pack-destination', folder];
	const [{filename}] = JSON.parse((await execa('npm', args, {cwd: root})).stdout);
	return filename;
}

/** A registry that has this package alone. */
async function startRegistry(world: World): Promise<string> {
	const tarball = await readFile(path.join(world.folder, await pack(world)));
	const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
	const server = createServer((request, response) => {
		if (request.url === '/tinbox.tgz') {
			response.end(tarball);
			return;
		}

		const {bin, version} = manifest;
		const versions = {[version]: {name: 'tinbox', version, bin, dist: {tarball: `${url}/tinbox.tgz`}}};
		response.end(JSON.stringify({name: 'tinbox', 'dist-tags': {latest: version}, versions}));
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return url;
}

const quiet = {npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false'};

export const startStories: Stories = {
	'tinbox: sh': {
		async run(code, world) {
			const prefix = path.join(world.folder, 'prefix');
			const registry = {npm_config_registry: await startRegistry(world), npm_config_prefix: prefix};
			await world.sh(code, {...quiet, ...registry});
			expect(await world.sh(`${prefix}/bin/tinbox --version`)).toMatch(/^\d+\.\d+\.\d+/);
		},
	},
	'In 30 seconds: sh': {
		async run(code, {sh}) {
			expect(await sh(code)).toBe(printed);
		},
	},
	'In 30 seconds: output': {
		async run(code) {
			expect(code).toBe(`${printed}\n`);
		},
	},
};

const printed = '493028';
