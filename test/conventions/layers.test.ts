import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

type Rule = {
	/** Folders that may be imported from. */
	readonly from: readonly string[];
	/** Folders that may be loaded on demand, by `await import`. */
	readonly onDemand?: readonly string[];
};

/** Each folder of `src` and the folders that it may import. `.` is `main.ts`. */
const layers: Readonly<Record<string, Rule>> = {
	'.': {from: ['cli', 'lib']},
	lib: {from: []},
	contract: {from: ['lib']},
	domain: {from: ['contract', 'lib']},
	config: {from: ['contract', 'lib']},
	runtime: {from: ['contract', 'lib']},
	store: {from: ['contract', 'domain', 'lib']},
	mime: {from: ['contract', 'domain', 'lib']},
	outbound: {from: ['contract', 'domain', 'lib']},
	services: {from: ['contract', 'store', 'mime', 'domain', 'lib']},
	metrics: {from: ['contract', 'services', 'store', 'domain', 'lib']},
	tls: {from: ['lib']},
	send: {from: ['contract', 'services', 'mime', 'domain', 'lib']},
	smtp: {from: ['contract', 'services', 'tls', 'domain', 'lib']},
	http: {from: ['contract', 'services', 'send', 'tls', 'domain', 'lib'], onDemand: ['mcp']},
	daemon: {
		from: [
			'contract',
			'services',
			'store',
			'mime',
			'outbound',
			'metrics',
			'smtp',
			'http',
			'tls',
			'domain',
			'config',
			'runtime',
			'lib',
		],
	},
	client: {from: ['contract', 'lib']},
	kits: {from: ['contract', 'client', 'config', 'runtime', 'lib']},
	mcp: {from: ['contract', 'client', 'domain', 'lib']},
	'ui/core': {from: ['contract', 'client', 'lib']},
	'ui/tui': {from: ['contract', 'client', 'ui/core', 'lib']},
	'ui/web': {from: ['contract', 'client', 'ui/core', 'lib']},
	cli: {from: ['contract', 'client', 'config', 'runtime', 'lib'], onDemand: ['daemon', 'ui/tui', 'tls', 'mcp']},
};

/** Libraries that only these folders may import. */
const foldersByLibrary: Readonly<Record<string, string | readonly string[]>> = {
	mailparser: 'mime',
	libmime: 'mime',
	handlebars: 'mime',
	lowdb: 'store',
	postgres: 'store',
	'prom-client': 'metrics',
	'smtp-server': 'smtp',
	koa: 'http',
	'@koa/router': 'http',
	zod: ['contract', 'domain', 'http', 'send', 'mcp'],
	'@modelcontextprotocol/sdk': 'mcp',
	'@peculiar/x509': 'tls',
	'reflect-metadata': 'tls',
	preact: 'ui/web',
	commander: 'cli',
	vitest: 'kits',
	'@playwright/test': 'kits',
};

/** An import, including imports of types only. */
type Import = {readonly target: string; readonly isOnDemand: boolean};

const importPattern = /(?:^|\n)(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

function importsOf(file: string): Import[] {
	return [...readFileSync(file, 'utf8').matchAll(importPattern)].map(([, target, onDemand]) => ({
		target: target ?? onDemand ?? '',
		isOnDemand: onDemand !== undefined,
	}));
}

const files = readdirSync(src, {recursive: true, encoding: 'utf8'})
	.filter(file => /\.tsx?$/.test(file))
	.map(file => path.join(src, file));

const layerOf = (file: string) => {
	const [folder = '', ...rest] = path.relative(src, file).split(path.sep);
	return rest.length === 0 ? '.' : folder === 'ui' ? `ui/${rest[0]}` : folder;
};

const sourceOf = (file: string, target: string) => {
	const base = path.resolve(path.dirname(file), target).replace(/\.js$/, '');
	return files.find(candidate => candidate === `${base}.ts` || candidate === `${base}.tsx`);
};

describe('the layers of src', () => {
	test.each(files.map(file => path.relative(src, file)))('%s imports only from layers below it', name => {
		const file = path.join(src, name);
		const layer = layerOf(file);
		const rule = layers[layer];
		expect(rule, `src/${layer} is not a known layer`).toBeDefined();
		for (const {target, isOnDemand} of importsOf(file)) {
			if (target.startsWith('.')) {
				const source = sourceOf(file, target);
				const targetLayer = source === undefined ? undefined : layerOf(source);
				if (targetLayer !== undefined && targetLayer !== layer) {
					const allowed = [...(rule?.from ?? []), ...((isOnDemand && rule?.onDemand) || [])];
					expect(allowed, `${name} imports ${target}`).toContain(targetLayer);
				}
			} else {
				const library = /^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;
				expect([foldersByLibrary[library] ?? layer].flat(), `${name} imports ${target}`).toContain(layer);
			}
		}
	});

	test('only the server imports the schemas of the contract as values', () => {
		const schemaFiles = files.filter(
			file => layerOf(file) === 'contract' && importsOf(file).some(({target}) => target === 'zod'),
		);
		const loading = files.filter(file => {
			const values = [...readFileSync(file, 'utf8').matchAll(/^import (?!type\b)([^;]*?) from '(\.[^']+)';$/gm)];
			return (
				!['contract', 'http', 'send'].includes(layerOf(file)) &&
				values.some(
					([, names = '', target = '']) =>
						schemaFiles.includes(sourceOf(file, target) ?? '') &&
						/(?:^|[{,]\s*)(?!type\b)\w/.test(names.replaceAll('{}', '')),
				)
			);
		});
		expect(schemaFiles.length).toBeGreaterThan(5);
		expect(loading.map(file => path.relative(src, file))).toEqual([]);
	});

	test('no import cycles exist', () => {
		const graph = new Map(
			files.map(file => [
				file,
				importsOf(file)
					.filter(({target, isOnDemand}) => target.startsWith('.') && !isOnDemand)
					.map(({target}) => sourceOf(file, target))
					.filter(source => source !== undefined),
			]),
		);
		const done = new Set<string>();
		const visit = (file: string, trail: readonly string[]): void => {
			expect(trail, [...trail, file].map(step => path.relative(src, step)).join(' → ')).not.toContain(file);
			if (!done.has(file)) {
				for (const next of graph.get(file) ?? []) {
					visit(next, [...trail, file]);
				}

				done.add(file);
			}
		};
		for (const file of files) {
			visit(file, []);
		}
	});
});
