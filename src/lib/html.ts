import {Tokenizer} from 'htmlparser2';

/** Characters of a text or an HTML body that are read. The rest is ignored, so that none takes long. */
export const maxInput = 512 * 1024;

/** An `<a>` or `<area>` in the order of the document, not yet judged. */
export type Anchor = {readonly url: string; readonly text: string};

export type Html = {
	/** The visible text, one line per block or table cell, with `''` between blocks. */
	readonly lines: readonly string[];
	readonly anchors: readonly Anchor[];
};

const inlineTags = new Set(
	'a abbr acronym area b bdi bdo big cite code del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup tt u var wbr'.split(
		' ',
	),
);

const wantedAttributes = new Set(['href', 'alt']);

/**
 * Reads the first 512 KiB of an HTML body in time linear in its length. It uses htmlparser2's tokenizer and no tree:
 * the tree builder of that library needs quadratic time for deep nesting.
 */
export function readHtml(html: string): Html {
	return new Reader().read(html.slice(0, maxInput));
}

class Reader {
	readonly #lines: string[] = [];
	readonly #anchors: Anchor[] = [];
	#line = '';
	#tag = '';
	#attribute = '';
	#attributes: Record<string, string> = {};
	#anchor: {url: string; text: string} | undefined;
	/** The element whose text is not for people, such as `style`, while inside of it. */
	#skipped: string | undefined;

	read(html: string): Html {
		const ignore = () => {};
		const tokenizer = new Tokenizer(
			{xmlMode: false, decodeEntities: true},
			{
				ontext: (start, end) => this.#text(html.slice(start, end)),
				ontextentity: codepoint => this.#text(String.fromCodePoint(codepoint)),
				onopentagname: (start, end) => {
					this.#tag = html.slice(start, end).toLowerCase();
					this.#attributes = {};
				},
				onattribname: (start, end) => {
					this.#attribute = html.slice(start, end).toLowerCase();
				},
				onattribdata: (start, end) => this.#attributeText(html.slice(start, end)),
				onattribentity: codepoint => this.#attributeText(String.fromCodePoint(codepoint)),
				onattribend: ignore,
				onopentagend: () => this.#open(),
				onselfclosingtag: () => this.#open(),
				onclosetag: (start, end) => this.#close(html.slice(start, end).toLowerCase()),
				oncdata: ignore,
				oncomment: ignore,
				ondeclaration: ignore,
				onprocessinginstruction: ignore,
				onend: ignore,
			},
		);
		tokenizer.write(html);
		tokenizer.end();
		this.#endAnchor();
		this.#endLine(true);
		return {lines: this.#lines, anchors: this.#anchors};
	}

	#text(text: string): void {
		if (this.#skipped === undefined) {
			this.#line += text;
			if (this.#anchor) {
				this.#anchor.text += text;
			}
		}
	}

	#attributeText(text: string): void {
		if (wantedAttributes.has(this.#attribute)) {
			this.#attributes[this.#attribute] = (this.#attributes[this.#attribute] ?? '') + text;
		}
	}

	#open(): void {
		const {href, alt} = this.#attributes;
		if (this.#tag === 'style' || this.#tag === 'script' || this.#tag === 'title') {
			this.#skipped = this.#tag;
		} else if ((this.#tag === 'a' || this.#tag === 'area') && href !== undefined) {
			this.#endAnchor();
			this.#anchor = {url: href, text: alt ?? ''};
		} else if (this.#tag === 'img' && this.#anchor) {
			this.#anchor.text += ` ${alt ?? ''} `;
		}

		this.#breakAt(this.#tag);
	}

	#close(tag: string): void {
		if (tag === this.#skipped) {
			this.#skipped = undefined;
		} else if (tag === 'a') {
			this.#endAnchor();
		}

		this.#breakAt(tag);
	}

	#breakAt(tag: string): void {
		if (!inlineTags.has(tag)) {
			this.#endLine(tag !== 'br');
			this.#text(' ');
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

const invisible = /(?:[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\u034f|\u115f)+/g;

/** The text as a reader sees it: nothing invisible, full-width ASCII made narrow, white space as one space, dashes as `-`. */
export function normalizeSpace(text: string): string {
	return text
		.replace(invisible, '')
		.replace(/[\uff01-\uff5e]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
		.replace(/[\u2010-\u2015\u2212]/g, '-')
		.replace(/\s+/g, ' ')
		.trim();
}
