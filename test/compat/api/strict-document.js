/**
 * @typedef {Record<string, {parameters: object}>} Links
 * @typedef {{links?: unknown, requestBody?: unknown, type?: unknown, format?: unknown, properties?: unknown, additionalProperties?: unknown, schema?: unknown, 'x-codes'?: unknown}} Schema
 */

/**
 * The document as a test reads it: an answer has no field that is not described, a failure has one of its codes, a list, which can
 * be empty, links to nothing, and a mail is not empty. Clients are told to leave alone what they do not know, so that the document
 * itself does not say so.
 * @template {object} Document
 * @param {Document} document
 * @returns {Document}
 */
export function strictDocument(document) {
	const strict = structuredClone(document);
	const taken = new Set();
	walk(strict, ({requestBody}) =>
		walk(requestBody, part => {
			taken.add(part);
			Object.assign(part, part.format === 'binary' && {minLength: 1});
		}),
	);
	walk(strict, value => {
		const {type, properties, additionalProperties} = value;
		if (type === 'object' && properties && additionalProperties === undefined && !taken.has(value)) {
			Object.assign(value, {additionalProperties: false});
		}
	});
	walk(strict, value => {
		const {schema, 'x-codes': codes} = value;
		if (codes) {
			Object.assign(value, {schema: {.../** @type {object} */ (schema), properties: {code: {enum: codes}}}});
		}
	});
	walk(strict, ({links}) => {
		for (const [name, {parameters}] of Object.entries(/** @type {Links} */ (links ?? {}))) {
			if (/#\/(?:.*\/)?0(?:\/|"|$)/.test(JSON.stringify(parameters))) {
				delete (/** @type {Links} */ (links)[name]);
			}
		}
	});
	return strict;
}

/**
 * @param {unknown} value
 * @param {(value: Schema) => void} visit
 */
function walk(value, visit) {
	if (typeof value !== 'object' || value === null) {
		return;
	}

	visit(/** @type {Schema} */ (value));
	for (const part of Object.values(value)) {
		walk(part, visit);
	}
}
