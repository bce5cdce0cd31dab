import {type Attributes, isInline, maxInput, normalizeSpace, visitHtml} from '../../lib/html.js';

/** An `<a>` or `<area>` in the order of the document, not yet judged. */
export type Anchor = {readonly url: string; readonly text: string};

export type Html = {
	/** The visible text, one line per block or table cell, with `''` between blocks. */
	readonly lines: readonly string[];
	readonly anchors: readonly Anchor[];
};

/** What codes and links are looked for in: the first 512 KiB of an HTML body. */
export function readHtml(html: string): Html {
	const reader = new Reader();
	visitHtml(html.slice(0, maxInput), reader);
	return reader.end();
}

class Reader {
	readonly #lines: string[] = [];
	readonly #anchors: Anchor[] = [];
	#line = '';
	#anchor: {url: string; text: string} | undefined;

	text(text: string): void {
		this.#line += text;
		if (this.#anchor) {
			this.#anchor.text += text;
		}
	}

	open(tag: string, {href, alt}: Attributes): void {
		if ((tag === 'a' || tag === 'area') && href !== undefined) {
			this.#endAnchor();
			this.#anchor = {url: href, text: alt ?? ''};
		} else if (tag === 'img' && this.#anchor) {
			this.#anchor.text += ` ${alt ?? ''} `;
		}

		this.#breakAt(tag);
	}

	close(tag: string): void {
		if (tag === 'a') {
			this.#endAnchor();
		}

		this.#breakAt(tag);
	}

	end(): Html {
		this.#endAnchor();
		this.#endLine(true);
		return {lines: this.#lines, anchors: this.#anchors};
	}

	#breakAt(tag: string): void {
		if (!isInline(tag)) {
			this.#endLine(tag !== 'br');
			this.text(' ');
		}
	}

	#endAnchor(): void {
		if (this.#anchor) {
			this.#anchors.push({url: this.#anchor.url, text: normalizeSpace(this.#anchor.text)});
			this.#anchor = undefined;
		}
	}

	#endLine(endsBlock: boolean): void {
		const line = normalizeSpace(this.#line);
		this.#line = '';
		if (line !== '') {
			this.#lines.push(line);
		}

		if (endsBlock && this.#lines.at(-1) !== '') {
			this.#lines.push('');
		}
	}
}
