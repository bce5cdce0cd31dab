/** A field of a request that is not of the kind that it has to be. */
export class WrongField extends Error {
	readonly field: string;
	/** Words that follow the name of the field. */
	readonly problem: string;

	constructor(field: string, problem: string) {
		super(`"${field}" ${problem}.`);
		this.field = field;
		this.problem = problem;
	}
}

/** How many fields a warning names, and how much it shows of a name: both are what somebody sent. */
const maxNamed = 20;
const maxNameLength = 100;

/**
 * The fields of a JSON object in a request, where `null` counts as none. It knows which were asked for: the others are those
 * that nobody understands. What it is asked for throws `WrongField`.
 */
export class Fields {
	readonly #values: ReadonlyMap<string, unknown>;
	readonly #path: string;
	readonly #asked = new Set<string>();
	readonly #inner: Fields[] = [];

	constructor(value: unknown, path = '') {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) {
			throw new WrongField(path, 'must be an object');
		}

		this.#values = new Map(Object.entries(value));
		this.#path = path;
	}

	/** The name of a field from the outermost object on: `attachments[0].filename`. */
	pathOf(name: string): string {
		return this.#path === '' ? name : `${this.#path}.${name}`;
	}

	value(name: string): unknown {
		this.#asked.add(name);
		return this.#values.get(name) ?? undefined;
	}

	text(name: string): string | undefined {
		const value = this.value(name);
		return value === undefined ? undefined : asText(value, this.pathOf(name));
	}

	/** A text, or a list of them. */
	texts(name: string): readonly string[] {
		const value = this.value(name) ?? [];
		return Array.isArray(value)
			? value.map((one, index) => asText(one, `${this.pathOf(name)}[${index}]`))
			: [asText(value, this.pathOf(name))];
	}

	list(name: string): readonly unknown[] {
		const value = this.value(name) ?? [];
		if (!Array.isArray(value)) {
			throw new WrongField(this.pathOf(name), 'must be an array');
		}

		return value;
	}

	object(name: string): Fields | undefined {
		const value = this.value(name);
		return value === undefined ? undefined : this.#within(value, this.pathOf(name));
	}

	objects(name: string): readonly Fields[] {
		return this.list(name).map((one, index) => this.#within(one, `${this.pathOf(name)}[${index}]`));
	}

	/** All of them: for an object whose names are the sender's. */
	entries(): ReadonlyArray<readonly [name: string, value: unknown]> {
		for (const name of this.#values.keys()) {
			this.#asked.add(name);
		}

		return [...this.#values];
	}

	/** Says which fields nobody asked for, here and in the objects within; none where there are none. */
	warnings(): readonly string[] {
		const names = this.#unknown();
		if (names.length === 0) {
			return [];
		}

		const named = names.slice(0, maxNamed).map(name => JSON.stringify(name.slice(0, maxNameLength)));
		const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
		return [`Unknown fields were ignored: ${named.join(', ')}${more}.`];
	}

	#unknown(): readonly string[] {
		const own = [...this.#values.keys()].filter(name => !this.#asked.has(name));
		return [...own.map(name => this.pathOf(name)), ...this.#inner.flatMap(inner => inner.#unknown())];
	}

	#within(value: unknown, path: string): Fields {
		const inner = new Fields(value, path);
		this.#inner.push(inner);
		return inner;
	}
}

function asText(value: unknown, path: string): string {
	if (typeof value !== 'string') {
		throw new WrongField(path, 'must be a string');
	}

	return value;
}
