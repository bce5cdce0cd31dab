const importOfBuiltin =
	/\bimport ?(?<whole>[\w$]+)?,? ?(?<parts>\{[^}]*\}|\* ?as [\w$]+)? ?from ?"(?<name>node:[\w/]+)";/g;

/**
 * Takes the modules of Node.js from `process.getBuiltinModule` in place of importing them: an import reads every property
 * of the module, and some of these load much that nobody uses.
 * @param {string} code as esbuild writes it
 */
export function withoutBuiltinImports(code) {
	return code.replaceAll(importOfBuiltin, (...match) => {
		const {whole, parts, name} = match.at(-1);
		const pattern = parts?.replace(/^\* ?as /, '').replaceAll(' as ', ':');
		return `const ${[whole, pattern]
			.filter(Boolean)
			.map(names => `${names}=process.getBuiltinModule("${name}")`)
			.join(',')};`;
	});
}
