import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

type Rule = {
	/** Folders that may be imported from. */
	readonly from: readonly string[];
	/** Folders of which only types may be imported: nothing of them is loaded. */
	readonly types?: readonly string[];
	/** Folders that may be loaded on demand, by `await import`. */
	readonly onDemand?: readonly string[];
};

/** Each folder of `src`, with what it may import. `.` is `main.ts`. */
const layers: Readonly<Record<string, Rule>> = {
	'.': {from: ['cli', 'lib']},
	lib: {from: []},
	contract: {from: []},
	domain: {from: ['lib']},
	config: {from: ['lib']},
	runtime: {from: ['lib']},
	store: {from: ['domain', 'lib']},
	mime: {from: ['domain', 'lib']},
	outbound: {from: ['domain', 'lib']},
	services: {from: ['store', 'mime', 'domain', 'lib']},
	smtp: {from: ['services', 'domain', 'lib']},
	http: {from: ['services', 'domain', 'contract', 'lib']},
	daemon: {
		from: ['services', 'store', 'mime', 'outbound', 'smtp', 'http', 'domain', 'config', 'runtime', 'lib'],
	},
	client: {from: ['lib'], types: ['contract']},
	tui: {from: ['client', 'lib'], types: ['contract']},
	cli: {from: ['client', 'config', 'runtime', 'lib'], types: ['contract'], onDemand: ['daemon', 'tui']},
};

/** Libraries that live in one folder only. */
const homes: Readonly<Record<string, string>> = {
	mailparser: 'mime',
	libmime: 'mime',
	'html-to-text': 'mime',
	undici: 'outbound',
	lowdb: 'store',
	'smtp-server': 'smtp',
	koa: 'http',
	'@koa/router': 'http',
	ink: 'tui',
	react: 'tui',
	commander: 'cli',
};

type Import = {readonly target: string; readonly kind: 'from' | 'types' | 'onDemand'};

const importPattern =
	/(?:^|\n)(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

function importsOf(file: string): Import[] {
	return [...readFileSync(file, 'utf8').matchAll(importPattern)].map(([, type, target, lazyTarget]) => ({
		target: target ?? lazyTarget ?? '',
		kind: lazyTarget ? 'onDemand' : type ? 'types' : 'from',
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
		for (const {target, kind} of importsOf(file)) {
			if (target.startsWith('.')) {
				const source = sourceOf(file, target);
				const targetLayer = source === undefined ? undefined : layerOf(source);
				if (targetLayer !== undefined && targetLayer !== layer) {
					const allowed = [...(rule?.from ?? []), ...(kind === 'from' ? [] : (rule?.[kind] ?? []))];
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
					.filter(({target, kind}) => target.startsWith('.') && kind === 'from')
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

	test('no file is longer than 250 lines', () => {
		const long = files.filter(file => readFileSync(file, 'utf8').split('\n').length > 251);
		expect(long.map(file => path.relative(src, file))).toEqual([]);
	});
});
