/** Levels of quotes and lists that are shown. What is deeper looks like the last, so that no text grows much beyond its HTML. */
const maxLevels = 5;

/** The quotes and lists around a place in HTML, and what lines in them begin with. */
export class HtmlLevels {
	#quotes = 0;
	/** For each list its next number; undefined when its items have none. */
	readonly #lists: Array<number | undefined> = [];
	/** What the first line of an item begins with, until there is one. */
	#marker: string | undefined;

	get isInList(): boolean {
		return this.#lists.length > 0;
	}

	/** What an empty line here begins with. */
	get quoteMarks(): string {
		return '> '.repeat(Math.min(this.#quotes, maxLevels));
	}

	/** What the next line begins with: once with the marker of its item. */
	takePrefix(): string {
		const levels = Math.min(this.#lists.length, maxLevels);
		const item = this.#marker ?? (levels > 0 ? '   ' : '');
		this.#marker = undefined;
		return this.quoteMarks + '   '.repeat(Math.max(0, levels - 1)) + item;
	}

	/** The marker of an item that begins within a line; `""` where none does. */
	takeMarker(): string {
		const marker = this.#marker?.trimStart() ?? '';
		this.#marker = undefined;
		return marker;
	}

	open(tag: string, start: string | undefined): void {
		if (tag === 'ul' || tag === 'ol') {
			this.#lists.push(tag === 'ol' ? Number.parseInt(start ?? '1', 10) || 1 : undefined);
		} else if (tag === 'li') {
			const number = this.#lists.pop();
			this.#marker = number === undefined ? ' * ' : ` ${number}. `;
			this.#lists.push(number === undefined ? undefined : number + 1);
		} else if (tag === 'blockquote') {
			this.#quotes++;
		}
	}

	close(tag: string): void {
		if (tag === 'ul' || tag === 'ol') {
			this.#lists.pop();
			this.#marker = undefined;
		} else if (tag === 'blockquote') {
			this.#quotes = Math.max(0, this.#quotes - 1);
		}
	}
}
