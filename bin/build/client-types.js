import {execFile} from 'node:child_process';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {promisify} from 'node:util';

/** What the client exports. Whatever types these need come along; their functions only serve to infer types. */
const exported = ['createClient', 'TestClient', 'TimeoutError', 'ApiError', 'UnreachableError'];

/**
 * The types of the package's export in one file that needs nothing but Node.js: the declarations of the client and of what
 * it imports, put one behind the other.
 * @param {string} root
 */
export async function clientTypes(root) {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-types-'));
	try {
		await emitDeclarations(root, folder);
		const declarations = await collect(path.join(folder, 'client/suite.d.ts'));
		// Without an export list everything would count as exported.
		return [...needed(declarations), 'export {};\n'].join('\n');
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
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
			files: [path.join(root, 'src/client/suite.ts')],
		}),
	);
	await promisify(execFile)(path.join(root, 'node_modules/.bin/tsc'), ['--project', config]);
}

/**
 * The top-level declarations of a file and of those that it imports, by name.
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
			throw new Error(`Two files that the client needs declare "${name}".`);
		}

		found.set(name, declaration);
	}

	return found;
}

/** With the comment before it, up to the next one: the compiler indents whatever is inside. */
const declarationPattern =
	/(?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export (?:declare )?(?:type|class|function|const) (\w+)\b.*\n(?:[ }].*\n|\n)*/gm;

/**
 * What is exported, and what that needs.
 * @param {Map<string, string>} declarations
 */
function needed(declarations) {
	const reached = new Set(exported);
	for (const name of reached) {
		const code = declarations.get(name)?.replaceAll(/\/\*\*[\s\S]*?\*\//g, '') ?? '';
		// A name with a colon behind it is that of a member.
		for (const [word] of code.matchAll(/\b\w+\b(?!\??:)/g)) {
			if (declarations.has(word)) {
				reached.add(word);
			}
		}
	}

	return [...declarations]
		.filter(([name]) => reached.has(name))
		.map(([name, text]) =>
			exported.includes(name) ? text : text.replace(/^export declare (function|const)/m, 'declare $1'),
		);
}
