import {readFileSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import path from 'node:path';
import {execa} from 'execa';
import {onTestFinished} from 'vitest';
import {root} from './blocks.js';
import type {World} from './world.js';

/** Packs tinbox into the folder of the world and returns the file name. */
export async function pack({folder}: World): Promise<string> {
	const args = ['pack', '--json', '--offline', '--ignore-scripts', '--pack-destination', folder];
	const [{filename}] = JSON.parse((await execa('npm', args, {cwd: root})).stdout);
	return filename;
}

/**
 * Starts a package registry on loopback that serves the packed tinbox and every package in the `node_modules` of the
 * repository. Returns the npm settings that select it.
 */
export async function startRegistry(world: World): Promise<Readonly<Record<string, string>>> {
	const packed = path.join(world.folder, await pack(world));
	const packages = lockedPackages();
	const server = createServer(async (request, response) => {
		const requested = decodeURIComponent(request.url ?? '').slice(1);
		const entries = packages.get(requested);
		if (requested === 'tinbox.tgz') {
			response.end(await readFile(packed));
		} else if (requested.endsWith('.tgz')) {
			response.end(await tarballOf(requested.slice(0, -'.tgz'.length)));
		} else if (entries) {
			response.end(JSON.stringify(packument(requested, entries, url)));
		} else {
			response.writeHead(404).end();
		}
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {...quietNpm, npm_config_registry: url, npm_config_ignore_scripts: 'true'};
}

export const quietNpm = {npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false'};

type LockEntry = {readonly version: string; readonly [field: string]: unknown};

/** Entries of the repository's lock file by package name and folder. Packages for other platforms are among them. */
function lockedPackages(): ReadonlyMap<string, ReadonlyMap<string, LockEntry>> {
	const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
	const packages = new Map<string, Map<string, LockEntry>>();
	for (const [folder, entry] of Object.entries<LockEntry>(lock.packages)) {
		const name = folder === '' ? 'tinbox' : /.*node_modules\/(.+)$/.exec(folder)?.[1];
		if (name !== undefined) {
			packages.set(name, (packages.get(name) ?? new Map<string, LockEntry>()).set(folder, entry));
		}
	}

	return packages;
}

/** The registry's description of a package. */
function packument(name: string, entries: ReadonlyMap<string, LockEntry>, url: string) {
	const versions = [...entries].map(([folder, {version, ...entry}]) => {
		const {devDependencies, dev, ...published} = entry;
		return [version, {name, version, ...published, dist: {tarball: `${url}/${folder || 'tinbox'}.tgz`}}] as const;
	});
	return {name, 'dist-tags': {latest: versions[0]?.[0]}, versions: Object.fromEntries(versions)};
}

async function tarballOf(folder: string): Promise<Uint8Array> {
	const {dir, base} = path.parse(path.join(root, folder));
	const args = ['-czf', '-', '--exclude', `${base}/node_modules`, '-C', dir, base];
	return (await execa('tar', args, {encoding: 'buffer'})).stdout;
}
