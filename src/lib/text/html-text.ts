import {type Attributes, type HtmlVisitor, visibleText, visitHtml} from './html.js';

/**
 * Maximum depth of quotes and lists that is shown. Deeper ones look the same, so that no text is much longer than its HTML.
 */
const maxLevels = 5;

/** Quotes and lists around a position in HTML, and the line prefixes that they need. */
class HtmlLevels {
	#quotes = 0;
	/** Next number of each list; undefined for lists without numbers. */
	readonly #lists: Array<number | undefined> = [];
	/** Prefix of the first line of an item, until it is used. */
	#marker: string | undefined;

	get isInList(): boolean {
		return this.#lists.length > 0;
	}

	/** Prefix of an empty line. */
	get quoteMarks(): string {
		return '> '.repeat(Math.min(this.#quotes, maxLevels));
	}

	/** Prefix of the next line. The marker of an item is returned once. */
	takePrefix(): string {
		const levels = Math.min(this.#lists.length, maxLevels);
		const item = this.#marker ?? (levels > 0 ? '   ' : '');
		this.#marker = undefined;
		return this.quoteMarks + '   '.repeat(Math.max(0, levels - 1)) + item;
	}

	/** Marker of an item that begins within a line, or `""`. */
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

/** Maximum length of a line to which another table cell is added. */
const maxLineBeforeCell = 80;
const rule = '-'.repeat(20);

/** Elements with an empty line before and after. */
const paragraphTags = new Set('blockquote dl figure h1 h2 h3 h4 h5 h6 ol p pre table ul'.split(' '));

/**
 * Plain text of HTML as its author could have written it, in time linear in its length: one line per block or table row, two
 * spaces between cells, the address of a link after its text. Images contribute text only if they are links.
 */
export function textOfHtml(html: string): string {
	const writer = new TextWriter();
	visitHtml(html, writer);
	return writer.end();
}

/** Separator before the next text: none, a line break, or an empty line. */
type Break = 0 | 1 | 2;

/** Visitor that builds the text returned by `textOfHtml`. */
export class TextWriter implements HtmlVisitor {
	readonly #lines: string[] = [];
	/** Number of completed lines with text. */
	#count = 0;
	/** Current line: completed cells, last cell, the prefix, and the break after it. */
	#line = '';
	#cell = '';
	/** Length of the line without the addresses of links. */
	#width = 0;
	#prefix = '';
	#quoteMarks = '';
	#break: Break = 0;
	/** Text not yet added to the line, and true if it is only white space. */
	#raw = '';
	#isBlank = true;
	/** Number of its characters that belong to addresses of links. */
	#addresses = 0;
	/** Number of the line on which the row of each open table began. */
	readonly #tables: number[] = [];
	/** Number of tables around the cell whose text continues the line of the previous cell; undefined after its first text. */
	#joining: number | undefined;
	readonly #levels = new HtmlLevels();
	#preformatted = 0;
	#link: {readonly url: string; text: string; isOnLine: boolean} | undefined;

	text(text: string): void {
		const lines = this.#preformatted === 0 ? [text] : text.split('\n');
		for (const [index, line] of lines.entries()) {
			if (index > 0) {
				this.#breakLine();
			}

			this.#add(line);
		}
	}

	open(tag: string, {href, alt = '', type = '', start}: Attributes, isInline: boolean): void {
		if (tag === 'img' || tag === 'input') {
			this.#add(this.#link || /^image$/i.test(type) ? ` ${alt} ` : ' ');
		} else if (tag === 'br') {
			this.#breakLine();
		} else if (tag === 'hr') {
			this.#rule();
		} else if (tag === 'td' || tag === 'th') {
			this.#openCell();
		} else if (!isInline) {
			this.#openBlock(tag, start);
		}

		if (tag === 'a') {
			this.#endLink();
			const url = visibleText(href ?? '');
			this.#link = url === '' || url.startsWith('#') ? undefined : {url, text: '', isOnLine: false};
		}
	}

	close(tag: string, isInline: boolean): void {
		if (tag === 'a') {
			this.#endLink();
		}

		if (tag === 'td' || tag === 'th') {
			this.#flush();
			this.#leaveCell();
		} else if (!isInline && tag !== 'br') {
			this.#closeBlock(tag);
		}
	}

	end(): string {
		this.#endLink();
		this.#flush();
		this.#break = 0;
		this.#endLine();
		return this.#lines.join('\n');
	}

	#add(text: string): void {
		this.#raw += text;
		this.#isBlank &&= !/\S/.test(text);
		if (this.#link && this.#link.text.length <= this.#link.url.length) {
			this.#link.text += text;
		}
	}

	#openBlock(tag: string, start: string | undefined): void {
		if (tag === 'tr') {
			this.#leaveCell();
		}

		this.#endBlock(tag);
		if (tag === 'table' || tag === 'tr') {
			const table = tag === 'table' ? this.#tables.length : Math.max(0, this.#tables.length - 1);
			this.#tables[table] = this.#count + (this.#break > 0 ? 1 : 0);
		} else if (tag === 'pre') {
			this.#preformatted++;
		}

		this.#levels.open(tag, start);
	}

	#closeBlock(tag: string): void {
		if (tag === 'tr' || tag === 'table') {
			this.#leaveCell();
		}

		this.#flush();
		if (tag === 'table') {
			this.#tables.pop();
		} else if (tag === 'pre') {
			this.#preformatted = Math.max(0, this.#preformatted - 1);
		}

		this.#levels.close(tag);
		this.#endBlock(tag);
	}

	#endBlock(tag: string): void {
		this.#flush();
		const isNestedList = this.#levels.isInList && (tag === 'ul' || tag === 'ol');
		this.#breakBy(paragraphTags.has(tag) && !isNestedList ? 2 : 1);
	}

	/** Continues the line of the row if the row is on one line that is not too long. */
	#openCell(): void {
		this.#leaveCell();
		this.#flush();
		if (this.#line !== '' && this.#tables.at(-1) === this.#count && this.#width <= maxLineBeforeCell) {
			this.#break = 0;
			this.#joining = this.#tables.length;
		} else {
			this.#breakBy(1);
		}
	}

	#leaveCell(): void {
		if (this.#joining === this.#tables.length) {
			this.#joining = undefined;
		}
	}

	#rule(): void {
		this.#flush();
		if (this.#line !== '' && this.#cell !== rule) {
			this.#breakBy(2);
			this.#add(rule);
			this.#flush();
			this.#breakBy(2);
		}
	}

	/** Adds the address after the text of its link, even if a block ended in between. */
	#endLink(): void {
		const link = this.#link;
		this.#link = undefined;
		if (link && ![link.url, link.url.replace(/^mailto:/, '')].includes(visibleText(link.text))) {
			const address = ` [${link.url}]`;
			if (this.#isBlank && link.isOnLine) {
				this.#line += address;
				this.#cell += address;
			} else {
				this.#add(address);
				this.#addresses += address.length;
			}
		}
	}

	/** One break ends the line; a second one adds an empty line. */
	#breakLine(): void {
		this.#flush();
		this.#breakBy(this.#break === 0 ? 1 : 2);
	}

	#breakBy(wanted: Break): void {
		if (this.#line !== '' && this.#joining === undefined && wanted > this.#break) {
			this.#break = wanted;
		}
	}

	/** Adds the text to the line as another cell, or to the next line after a break. */
	#flush(): void {
		const text = this.#isBlank ? '' : this.#preformatted > 0 ? this.#raw.trimEnd() : visibleText(this.#raw);
		this.#raw = '';
		this.#isBlank = true;
		if (text === '') {
			return;
		}

		if (this.#break > 0) {
			this.#endLine();
		}

		if (this.#line === '') {
			this.#prefix = this.#levels.takePrefix();
			this.#quoteMarks = this.#levels.quoteMarks;
			this.#cell = text;
			this.#line = text;
		} else {
			this.#cell = this.#levels.takeMarker() + text;
			this.#line += `  ${this.#cell}`;
		}

		this.#width += text.length - this.#addresses;
		this.#addresses = 0;
		this.#joining = undefined;
		if (this.#link) {
			this.#link.isOnLine = true;
		}
	}

	#endLine(): void {
		if (this.#line !== '') {
			this.#lines.push(this.#prefix + this.#line);
			this.#count++;
		}

		if (this.#break === 2) {
			const {quoteMarks} = this.#levels;
			this.#lines.push((quoteMarks.length < this.#quoteMarks.length ? quoteMarks : this.#quoteMarks).trimEnd());
		}

		this.#line = '';
		this.#width = 0;
		this.#break = 0;
	}
}
