/**
 * @typedef {Record<string, {parameters: object}>} Links
 * @typedef {{links?: unknown, requestBody?: unknown, type?: unknown, format?: unknown, properties?: unknown, additionalProperties?: unknown, schema?: unknown, 'x-codes'?: unknown}} Schema
 */

/**
 * A stricter copy of the document for tests: responses have no undescribed fields, errors have one of the described codes,
 * list items have no links, since a list may be empty, and mails are not empty. The document itself is open for additions.
 * @template {object} Document
 * @param {Document} document
 * @returns {Document}
 */
export function strictDocument(document) {
	const strict = structuredClone(document);
	const inRequests = new Set();
	walk(strict, ({requestBody}) =>
		walk(requestBody, part => {
			inRequests.add(part);
			Object.assign(part, part.format === 'binary' && {minLength: 1});
		}),
	);
	walk(strict, value => {
		const {type, properties, additionalProperties} = value;
		if (type === 'object' && properties && additionalProperties === undefined && !inRequests.has(value)) {
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
