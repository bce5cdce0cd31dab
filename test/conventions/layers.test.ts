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

/** Each folder of `src`, with what it may import. `.` is `main.ts`. */
const layers: Readonly<Record<string, Rule>> = {
	'.': {from: ['cli', 'lib']},
	lib: {from: []},
	contract: {from: []},
	domain: {from: ['contract', 'lib']},
	config: {from: ['contract', 'lib']},
	runtime: {from: ['contract', 'lib']},
	store: {from: ['contract', 'domain', 'lib']},
	mime: {from: ['contract', 'domain', 'lib']},
	outbound: {from: ['contract', 'domain', 'lib']},
	services: {from: ['contract', 'store', 'mime', 'domain', 'lib']},
	tls: {from: ['lib']},
	smtp: {from: ['contract', 'services', 'tls', 'domain', 'lib']},
	http: {from: ['contract', 'services', 'tls', 'domain', 'lib']},
	daemon: {
		from: [
			'contract',
			'services',
			'store',
			'mime',
			'outbound',
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
	tui: {from: ['contract', 'client', 'lib']},
	cli: {from: ['contract', 'client', 'config', 'runtime', 'lib'], onDemand: ['daemon', 'tui', 'tls']},
};

/** Libraries that live in one folder only. */
const homes: Readonly<Record<string, string>> = {
	mailparser: 'mime',
	libmime: 'mime',
	lowdb: 'store',
	postgres: 'store',
	'smtp-server': 'smtp',
	koa: 'http',
	'@koa/router': 'http',
	zod: 'http',
	'@peculiar/x509': 'tls',
	'reflect-metadata': 'tls',
	ink: 'tui',
	react: 'tui',
	commander: 'cli',
};

/** Imports of types count like all others. */
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
	return rest.length > 0 ? folder : '.';
};

const sourceOf = (file: string, target: string) => {
	const base = path.resolve(path.dirname(file), target).replace(/\.js$/, '');
	return files.find(candidate => candidate === `${base}.ts` || candidate === `${base}.tsx`);
};

describe('layers', () => {
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
				expect(homes[library] ?? layer, `${name} imports ${target}`).toBe(layer);
			}
		}
	});

	test('no file imports itself through others', () => {
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

	test('one name means one thing: no two files export the same', () => {
		const filesOf = new Map<string, string[]>();
		for (const [name, file] of exportsOfAll()) {
			filesOf.set(name, [...(filesOf.get(name) ?? []), file]);
		}

		expect([...filesOf].filter(([, files]) => files.length > 1)).toEqual([]);
	});

	test('no file is longer than 250 lines', () => {
		const long = files.filter(file => readFileSync(file, 'utf8').split('\n').length > 251);
		expect(long.map(file => path.relative(src, file))).toEqual([]);
	});
});

/** Whatever the files export, by name. Each file of a command has its own `add…`, `fill…`, `run…` and `…Options`. */
function exportsOfAll(): ReadonlyArray<readonly [name: string, file: string]> {
	const pattern = /^export (?:async )?(?:type|interface|class|function\*?|const|let) (\w+)/gm;
	return files.flatMap(file => {
		const names = [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name = '']) => name);
		const isOfCommand = file.startsWith(path.join(src, 'cli/commands'));
		return names
			.filter(name => !(isOfCommand && /^(?:add|fill|run)[A-Z]|Options$/.test(name)))
			.map(name => [name, path.relative(src, file)] as const);
	});
}
