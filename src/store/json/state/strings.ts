const most = 10_000;

/** Gives equal strings one copy: addresses come again and again, and each copy would take memory of its own. */
export class Strings {
	readonly #known = new Map<string, string>();

	shared(text: string): string {
		const known = this.#known.get(text);
		if (known !== undefined) {
			return known;
		}

		if (this.#known.size === most) {
			this.#known.clear();
		}

		this.#known.set(text, text);
		return text;
	}
}
