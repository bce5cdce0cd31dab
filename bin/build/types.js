import {execFile} from 'node:child_process';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {promisify} from 'node:util';
import {schemaTypes} from './schema-types.js';

/** Exports of the client and the kits. Types that they need are included; functions are only used to infer types. */
const exportsOf = {
	client: ['createClient', 'TestClient', 'TimeoutError', 'ApiError', 'UnreachableError'],
	vitest: ['test', 'VitestFixtures', 'TestInbox', 'Tinbox', 'DaemonScope'],
	playwright: [
		'test',
		'expect',
		'PlaywrightFixtures',
		'PlaywrightWorkerFixtures',
		'TestInbox',
		'Tinbox',
		'DaemonScope',
	],
	jest: ['setupTinbox', 'JestOptions', 'JestTinbox', 'TestInbox', 'Tinbox', 'DaemonScope'],
};

/**
 * The type declarations of the package by file. Each file contains the declarations of its exports and of everything that they
 * need. The client only needs the types of Node.js; the kits import from the client.
 * @param {string} root
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
export async function typesOf(root) {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-types-'));
	try {
		await emitDeclarations(root, folder);
		const inferred = await schemaTypes(root);
		const declarations = async (/** @type {string} */ name) =>
			withInferred(await collect(path.join(folder, `${name}.d.ts`)), inferred);
		const client = needed(await declarations('client/suite'), exportsOf.client);
		const text = textOf(client);
		const kit = async (/** @type {'vitest' | 'playwright' | 'jest'} */ name, /** @type {string} */ beside) =>
			kitTypes(
				{file: path.join(folder, `kits/${name}.d.ts`), all: await declarations(`kits/${name}`)},
				exportsOf[name],
				client,
				beside,
			);
		return new Map([
			['client.d.ts', text],
			['client.d.cts', text],
			['vitest.d.ts', await kit('vitest', './client.js')],
			['playwright.d.cts', await kit('playwright', './client.cjs')],
			['jest.d.cts', await kit('jest', './client.cjs')],
		]);
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
}

/**
 * @param {{readonly file: string, readonly all: Map<string, string>}} kit
 * @param {readonly string[]} exported
 * @param {ReadonlyMap<string, string>} client
 * @param {string} beside import path of the client
 */
async function kitTypes({file, all}, exported, client, beside) {
	const own = textOf(new Map([...needed(all, exported)].filter(([name]) => !client.has(name))));
	const taken = [...client.keys()].filter(name => new RegExp(`\\b${name}\\b`).test(own));
	const framework = (await readFile(file, 'utf8')).match(/^import .* from '[^.].*';$/gm) ?? [];
	return [...framework, `import type { ${taken.join(', ')} } from '${beside}';`, own].join('\n');
}

/**
 * Replaces types that the contract infers from schemas by written-out types.
 * @param {Map<string, string>} declarations
 * @param {ReadonlyMap<string, string>} inferred
 */
function withInferred(declarations, inferred) {
	return new Map([...declarations, ...inferred]);
}

/**
 * Joins the declarations. Without an export list, everything would count as exported.
 * @param {ReadonlyMap<string, string>} declarations
 */
function textOf(declarations) {
	return [...declarations.values(), 'export {};\n'].join('\n');
}

/**
 * @param {string} root
 * @param {string} outDir
 */
async function emitDeclarations(root, outDir) {
	const config = path.join(outDir, 'tsconfig.json');
	await writeFile(
		config,
		JSON.stringify({
			extends: path.join(root, 'tsconfig.json'),
			compilerOptions: {
				noEmit: false,
				emitDeclarationOnly: true,
				declaration: true,
				rootDir: path.join(root, 'src'),
				outDir,
				typeRoots: [path.join(root, 'node_modules/@types')],
			},
			include: [],
			files: ['client/suite', 'kits/vitest', 'kits/playwright', 'kits/jest'].map(name =>
				path.join(root, `src/${name}.ts`),
			),
		}),
	);
	await promisify(execFile)(path.join(root, 'node_modules/.bin/tsc'), ['--project', config]);
}

/**
 * The top-level declarations of a file and of the files that it imports, by name, exported or not.
 * @param {string} file
 * @param {Map<string, string>} found
 * @param {Set<string>} seen files
 * @returns {Promise<Map<string, string>>}
 */
async function collect(file, found = new Map(), seen = new Set()) {
	if (seen.has(file)) {
		return found;
	}

	seen.add(file);
	const text = await readFile(file, 'utf8');
	for (const [, target = ''] of text.matchAll(/^(?:import|export) [^;]*? from '(\.[^']+)\.js';$/gm)) {
		await collect(path.resolve(path.dirname(file), `${target}.d.ts`), found, seen);
	}

	for (const [declaration, name = ''] of text.matchAll(declarationPattern)) {
		if (found.has(name) && found.get(name) !== declaration) {
			throw new Error(`Two files that ${path.basename(file)} needs declare "${name}".`);
		}

		found.set(name, declaration);
	}

	return found;
}

/** Matches a declaration with its comment. The compiler indents the lines inside a declaration. */
const declarationPattern =
	/(?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^(?:export )?(?:declare )?(?:type|class|function|const) (\w+)\b.*\n(?:[ }].*\n|\n)*/gm;

/**
 * The exported declarations and those that they need.
 * @param {Map<string, string>} declarations
 * @param {readonly string[]} exported
 */
function needed(declarations, exported) {
	const reached = new Set(exported);
	for (const name of reached) {
		const code = declarations.get(name)?.replaceAll(/\/\*\*[\s\S]*?\*\//g, '') ?? '';
		// A name followed by a colon is a member.
		for (const [word] of code.matchAll(/\b\w+\b(?!\??:)/g)) {
			if (declarations.has(word)) {
				reached.add(word);
			}
		}
	}

	return new Map(
		[...declarations]
			.filter(([name]) => reached.has(name))
			.map(([name, text]) => [
				name,
				exported.includes(name) ? text : text.replace(/^export declare (function|const)/m, 'declare $1'),
			]),
	);
}
