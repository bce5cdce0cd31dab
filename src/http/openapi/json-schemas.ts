import {z} from 'zod';
import {inClientForm} from './client-forms.js';
import type {JsonSchema} from './json-schema.js';

const place = '#/components/schemas/';

/** Makes JSON Schemas of those of zod, and collects the named ones. */
export class JsonSchemas {
	readonly #named = new Map<string, JsonSchema>();

	/** What a client may send. */
	taken(schema: z.ZodType): JsonSchema {
		return this.#make(schema, 'input');
	}

	/** What a client is answered. Later versions can answer more fields, so that it must not rely on there being no others. */
	given(schema: z.ZodType): JsonSchema {
		return this.#make(schema, 'output');
	}

	/** All schemas with a name, in the order of these. */
	named(): Readonly<Record<string, JsonSchema>> {
		return Object.fromEntries([...this.#named].sort(([a], [b]) => a.localeCompare(b, 'en')));
	}

	#make(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
		const {
			$schema: _,
			$defs = {},
			...made
		} = z.toJSONSchema(schema, {
			io,
			override: ({jsonSchema}) => simplify(jsonSchema, io),
		});
		for (const [name, definition] of Object.entries($defs)) {
			this.#named.set(name, pointToComponents(definition as JsonSchema));
		}

		return pointToComponents(made as JsonSchema);
	}
}

function simplify(schema: JsonSchema, io: 'input' | 'output'): void {
	if (io === 'output' && schema.additionalProperties === false) {
		delete schema.additionalProperties;
	}

	// Of types alone: nothing that is taken is read-only.
	delete schema.readOnly;
	if (schema.format !== undefined) {
		// The format says it, where zod has a long pattern for the same.
		delete schema.pattern;
	}

	// Of any integer in JavaScript: what is answered has no other, and what is taken is refused beyond.
	for (const [bound, value] of [
		['minimum', Number.MIN_SAFE_INTEGER],
		['maximum', Number.MAX_SAFE_INTEGER],
	] as const) {
		if (io === 'output' && schema[bound] === value) {
			delete schema[bound];
		}
	}
}

function pointToComponents(schema: JsonSchema): JsonSchema {
	const pointed = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', `"$ref":"${place}`));
	return inClientForm(pointed);
}
