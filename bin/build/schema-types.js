import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {build} from 'esbuild';

/**
 * Type that `src/contract` infers from a schema: `Body` is what a response contains, `Input` what a request body may contain, `Query`
 * what a query may contain.
 * @typedef {{readonly kind: 'Body' | 'Input' | 'Query', readonly comment: string, readonly schema: import('zod').ZodType}} InferredType
 */

const aliasPattern = /^export type (\w+) = (Body|Input|Query)<typeof (\w+)>;$/gm;

/**
 * Writes out the types that `src/contract` infers from its schemas, by name. The published declarations must not import the schema
 * library, and a description in a schema becomes the comment of its field.
 * @param {string} root
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
export async function schemaTypes(root) {
	const types = await inferredTypes(root);
	const names = new Map([...types].filter(([, {kind}]) => kind !== 'Query').map(([name, {schema}]) => [schema, name]));
	return new Map(
		[...types].map(([name, {kind, comment, schema}]) => {
			const printer = new Printer(kind === 'Input' ? 'input' : 'output', names);
			return [name, `${comment}export type ${name} = ${printer.object(schema, kind === 'Query')};\n`];
		}),
	);
}

/**
 * @param {string} root
 * @returns {Promise<Map<string, InferredType>>}
 */
async function inferredTypes(root) {
	const folder = path.join(root, 'src/contract');
	const files = (await readdir(folder)).filter(name => name.endsWith('.ts'));
	const entry = files.map((name, index) => `export * as file${index} from './${name}';`).join('\n');
	const output = await mkdtemp(path.join(root, 'node_modules/.tinbox-types-'));
	try {
		const {outputFiles} = await build({
			absWorkingDir: root,
			stdin: {contents: entry, resolveDir: folder},
			bundle: true,
			format: 'esm',
			platform: 'node',
			packages: 'external',
			write: false,
			logLevel: 'error',
			plugins: [exportTypes(folder)],
		});
		const file = path.join(output, 'contract.mjs');
		await writeFile(file, outputFiles[0]?.contents ?? '');
		const modules = Object.values(await import(pathToFileURL(file).href));
		return new Map(modules.flatMap(module => Object.entries(module.inferredTypes ?? {})));
	} finally {
		await rm(output, {recursive: true, force: true});
	}
}

/**
 * Adds an export `inferredTypes` to each file of the contract: its schemas need not be exported for the build.
 * @param {string} folder
 * @returns {import('esbuild').Plugin}
 */
function exportTypes(folder) {
	return {
		name: 'export-types',
		setup({onLoad}) {
			onLoad({filter: /\.ts$/}, async ({path: file}) => {
				if (path.dirname(file) !== folder) {
					return undefined;
				}

				const text = await readFile(file, 'utf8');
				const types = [...text.matchAll(aliasPattern)].map(([, name, kind, schema]) => {
					const comment = JSON.stringify(commentBefore(text, `const ${schema}`));
					return `${name}: {kind: '${kind}', schema: ${schema}, comment: ${comment}}`;
				});
				return {contents: `${text}\nexport const inferredTypes = {${types.join(', ')}};`, loader: 'ts'};
			});
		},
	};
}

/**
 * @param {string} text
 * @param {string} declaration
 */
function commentBefore(text, declaration) {
	const pattern = new RegExp(`(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)(?:export )?${declaration}\\b`);
	return pattern.exec(text)?.[1] ?? '';
}

/** Prints schemas as types. */
class Printer {
	#io;
	#names;

	/**
	 * @param {'input' | 'output'} io the side of the schema that is printed: before or after parsing
	 * @param {ReadonlyMap<import('zod').ZodType, string>} names names of the schemas that have a named type
	 */
	constructor(io, names) {
		this.#io = io;
		this.#names = names;
	}

	/**
	 * @param {any} schema
	 * @param {boolean} isPartial
	 * @returns {string}
	 */
	object(schema, isPartial = false) {
		const fields = Object.entries(schema._zod.def.shape).map(([name, field]) => {
			const isOptional = isPartial || field._zod[this.#io === 'input' ? 'optin' : 'optout'] !== undefined;
			const description = field.description ?? field._zod.def.innerType?.description;
			const type = this.#print(field);
			return [
				...(description === undefined ? [] : [`/** ${description.replaceAll('*/', '*\\/')} */`]),
				`readonly ${name}${isOptional ? '?' : ''}: ${type}${isOptional && !type.endsWith(' | undefined') ? ' | undefined' : ''};`,
			];
		});
		const lines = fields.flat().flatMap(line => line.split('\n'));
		return `{\n${lines.map(line => `    ${line}`).join('\n')}\n}`;
	}

	/**
	 * @param {any} schema
	 * @returns {string}
	 */
	#print(schema) {
		const name = this.#nameOf(schema);
		return name ?? this.#structure(schema);
	}

	/**
	 * The name of the type of a schema, which may be a copy with another description.
	 * @param {any} schema
	 * @returns {string | undefined}
	 */
	#nameOf(schema) {
		const name = this.#names.get(schema);
		return name ?? (schema._zod.parent && this.#nameOf(schema._zod.parent));
	}

	/**
	 * @param {any} schema
	 * @returns {string}
	 */
	#structure(schema) {
		const {def} = schema._zod;
		switch (def.type) {
			case 'string':
			case 'number':
			case 'boolean':
			case 'unknown':
				return def.type;
			case 'literal':
				return def.values.map(literal).join(' | ');
			case 'enum':
				return Object.values(def.entries).map(literal).join(' | ');
			case 'nullable':
				return `${this.#print(def.innerType)} | null`;
			case 'optional':
				return `${this.#print(def.innerType)} | undefined`;
			case 'default':
				return this.#print(def.innerType);
			case 'readonly':
				return this.#print(def.innerType);
			case 'pipe':
				return this.#print(this.#io === 'input' ? def.in : def.out);
			case 'array': {
				const element = this.#print(def.element);
				return `readonly ${element.includes(' | ') && !element.startsWith('{') ? `(${element})` : element}[]`;
			}
			case 'record':
				return `Readonly<Record<string, ${this.#print(def.valueType)}>>`;
			case 'union':
				return def.options.map((/** @type {any} */ option) => this.#print(option)).join(' | ');
			case 'object':
				return this.object(schema);
			default:
				throw new Error(`The published types have no form for a schema of the type "${def.type}".`);
		}
	}
}

/** @param {unknown} value */
function literal(value) {
	return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}
