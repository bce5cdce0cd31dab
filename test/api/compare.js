/**
 * What of an OpenAPI document breaks clients of the one before, in sentences: a route, an answer's field or a value of an enumeration
 * that is gone, a new input that must be given, an input or an answer of another type.
 * @param {Schema} before
 * @param {Schema} after
 * @returns {string[]}
 */
export function breakingChanges(before, after) {
	/** @type {string[]} */
	const found = [];
	for (const [path, item] of entries(before.paths)) {
		for (const [method, old] of entries(item)) {
			const name = `${method.toUpperCase()} ${path}`;
			const now = after.paths?.[path]?.[method];
			if (now) {
				found.push(...changesOf(name, {document: before, schema: old}, {document: after, schema: now}));
			} else {
				found.push(`${name} is gone`);
			}
		}
	}

	return found;
}

/**
 * @typedef {any} Schema
 * @typedef {{document: Schema, schema: Schema}} Place a schema, and the document that its references are of
 */

/** @param {string} name @param {Place} before @param {Place} after */
function changesOf(name, before, after) {
	const found = [];
	const [old, now] = [before.schema, after.schema];
	if (old.operationId !== now.operationId) {
		found.push(`${name} is called ${now.operationId}, and was ${old.operationId}`);
	}

	for (const parameter of now.parameters ?? []) {
		const known = (old.parameters ?? []).find((/** @type {Schema} */ one) => one.name === parameter.name);
		if (parameter.required && !known?.required) {
			found.push(`${name} needs the parameter ${parameter.name}`);
		}
	}

	for (const parameter of old.parameters ?? []) {
		const known = (now.parameters ?? []).find((/** @type {Schema} */ one) => one.name === parameter.name);
		if (known) {
			found.push(
				...narrowed(
					`${name}, parameter ${parameter.name}`,
					within(before, parameter.schema),
					within(after, known.schema),
				),
			);
		} else {
			found.push(`${name} takes no parameter ${parameter.name}`);
		}
	}

	const [oldBody, newBody] = [old, now].map(({requestBody}) => requestBody?.content['application/json']?.schema);
	if (now.requestBody?.required && !old.requestBody?.required) {
		found.push(`${name} needs a body`);
	}

	if (oldBody && newBody) {
		found.push(...narrowed(`${name}, body`, within(before, oldBody), within(after, newBody)));
	}

	for (const [status, response] of entries(old.responses).filter(([status]) => status.startsWith('2'))) {
		const [was, is] = [response, now.responses[status]].map(one => one?.content?.['application/json']?.schema);
		if (!now.responses[status]) {
			found.push(`${name} does not answer ${status}`);
		} else if (was) {
			found.push(
				...(is ? lost(`${name}, answer`, within(before, was), within(after, is)) : [`${name} answers no JSON`]),
			);
		}
	}

	return found;
}

/**
 * What requests may not have any more.
 * @param {string} name
 * @param {Place} before
 * @param {Place} after
 * @returns {string[]}
 */
function narrowed(name, before, after) {
	const [old, now] = [resolved(before), resolved(after)];
	const found = typesOf(old)
		.filter(type => !typesOf(now).includes(type))
		.map(type => `${name} takes no ${type}`);
	found.push(...valuesGone(old, now).map(value => `${name} does not take ${value}`));
	for (const field of now.required ?? []) {
		if (!(old.required ?? []).includes(field)) {
			found.push(`${name} needs ${field}`);
		}
	}

	for (const [bound, isNarrower] of bounds) {
		if (now[bound] !== undefined && (old[bound] === undefined || isNarrower(now[bound], old[bound]))) {
			found.push(`${name} has ${bound} ${now[bound]}`);
		}
	}

	for (const [field, schema] of entries(old.properties)) {
		const is = now.properties?.[field];
		found.push(
			...(is ? narrowed(`${name}.${field}`, within(before, schema), within(after, is)) : [`${name} takes no ${field}`]),
		);
	}

	return found;
}

/** @type {ReadonlyArray<readonly [string, (now: number, old: number) => boolean]>} */
const bounds = [
	['minimum', (now, old) => now > old],
	['minLength', (now, old) => now > old],
	['minItems', (now, old) => now > old],
	['maximum', (now, old) => now < old],
	['maxLength', (now, old) => now < old],
	['maxItems', (now, old) => now < old],
];

/**
 * What clients do not find any more in answers.
 * @param {string} name
 * @param {Place} before
 * @param {Place} after
 * @returns {string[]}
 */
function lost(name, before, after) {
	const [old, now] = [resolved(before), resolved(after)];
	const found = typesOf(now)
		.filter(type => !typesOf(old).includes(type))
		.map(type => `${name} can be ${type}`);
	for (const field of old.required ?? []) {
		if (!(now.required ?? []).includes(field)) {
			found.push(`${name} need not have ${field}`);
		}
	}

	found.push(...valuesGone(old, now).map(value => `${name} is never ${value}`));
	for (const [field, schema] of entries(old.properties)) {
		const is = now.properties?.[field];
		found.push(
			...(is ? lost(`${name}.${field}`, within(before, schema), within(after, is)) : [`${name} has no ${field}`]),
		);
	}

	if (old.items && now.items) {
		found.push(...lost(`${name}[]`, within(before, old.items), within(after, now.items)));
	}

	return found;
}

/** @param {Place} place @param {Schema} schema */
function within({document}, schema) {
	return {document, schema};
}

/**
 * The schema that a place refers to. Of alternatives, that which is not null, with `null` among its types.
 * @param {Place} place
 * @returns {Schema}
 */
function resolved({document, schema}) {
	if (schema.$ref !== undefined) {
		const target = document.components.schemas[schema.$ref.split('/').at(-1)];
		return resolved({document, schema: target});
	}

	const others = (schema.anyOf ?? []).filter((/** @type {Schema} */ one) => one.type !== 'null');
	if (schema.anyOf && others.length === 1 && others.length < schema.anyOf.length) {
		const one = resolved({document, schema: others[0]});
		return {...one, type: [...typesOf(one), 'null']};
	}

	return schema;
}

/** @param {Schema} schema @returns {string[]} */
function typesOf({type}) {
	return type === undefined ? [] : [type].flat();
}

/** @param {Schema} old @param {Schema} now @returns {unknown[]} */
function valuesGone(old, now) {
	return now.enum === undefined
		? []
		: (old.enum ?? []).filter((/** @type {unknown} */ value) => !now.enum.includes(value));
}

/** @param {Schema | undefined} value @returns {Array<[string, any]>} */
function entries(value) {
	return Object.entries(value ?? {});
}
