import {type Attributes, maxStyle, normalizeSpace, visitHtml} from '../../lib/text/html.js';
import {maxInput} from '../../lib/text/links.js';
import {visitSeen} from './visible-html.js';

/** An `<a>` or `<area>` in the order of the document, not yet judged. */
export type Anchor = {
	readonly url: string;
	readonly text: string;
	/** The line where it stands, if no other link does. */
	readonly around: string;
	/** Whether it looks like a button: by the style of it, of what is in it, or of the cell that it fills. */
	readonly isButton: boolean;
	/** Whether nothing else is on its line. */
	readonly isAlone: boolean;
	/** Whether it is an image above all text that is shown, as logos are. */
	readonly isLogo: boolean;
};

export type Html = {
	/** The visible text, one line per block or table cell, with `''` between blocks and `cellBreak` between cells of a row. */
	readonly lines: readonly string[];
	readonly anchors: readonly Anchor[];
	/** The lines without what is hidden from readers, as preview texts are; the HTML is read again for it. */
	readonly visibleLines: () => readonly string[];
};

/** Stands between the cells of a row, also of a list of terms. */
export const cellBreak = '\t';

/** Whether there is only a break between blocks or cells. */
export function isBreak(line: string): boolean {
	return line === '' || line === cellBreak;
}

/** What codes and links are looked for in: the first 512 KiB of an HTML body. */
export function readHtml(html: string): Html {
	const read = html.slice(0, maxInput);
	const reader = new Reader();
	visitHtml(read, reader);
	const visibleLines = () => {
		const shown = new Reader();
		visitSeen(read, shown);
		return shown.end().lines;
	};
	return {...reader.end(), visibleLines};
}

type OpenAnchor = {-readonly [Key in keyof Anchor]: Anchor[Key]};

class Reader {
	readonly #lines: string[] = [];
	readonly #anchors: OpenAnchor[] = [];
	#line = '';
	/** Whether there is a line that is shown, and whether this one is not, as a preview text. */
	#hasText = false;
	#isHidden = false;
	/** Whether there is text in the row. */
	#isInRow = false;
	/** Whether the line has text outside of links, and the links on it. */
	#hasOtherText = false;
	#lineAnchors: OpenAnchor[] = [];
	#anchor: OpenAnchor | undefined;
	/** Whether what is in the cell looks like a button if it is a link alone. */
	#isButtonCell = false;

	text(text: string): void {
		this.#line += text;
		if (this.#anchor) {
			this.#anchor.text += text;
			this.#anchor.isLogo &&= !isWord(text);
		} else {
			this.#hasOtherText ||= isWord(text);
		}
	}

	open(tag: string, attributes: Attributes, isInline: boolean): void {
		this.#breakAt(tag, isInline);
		this.#openCell(tag);
		if ((tag === 'a' || tag === 'area') && attributes.href !== undefined) {
			this.#openAnchor(attributes.href, attributes.alt ?? '');
		} else if (tag === 'img' && this.#anchor) {
			this.#anchor.text += ` ${attributes.alt ?? ''} `;
		} else if (tag === 'input' && /^image$/i.test(attributes.type ?? '')) {
			this.text(` ${attributes.alt ?? ''} `);
		} else if (tag === 'td' || tag === 'th') {
			this.#isButtonCell = isColored(attributes);
		}

		this.#isHidden ||= /display\s*:\s*none/i.test(attributes.style?.slice(0, maxStyle) ?? '');
		if (this.#anchor && tag !== 'img') {
			this.#anchor.isButton ||= isFramed(attributes);
		}
	}

	close(tag: string, isInline: boolean): void {
		if (tag === 'a') {
			this.#endAnchor();
		}

		this.#breakAt(tag, isInline);
		this.#isInRow &&= !rows.has(tag);
		if (tag === 'td' || tag === 'th') {
			this.#isButtonCell = false;
		}
	}

	end(): Omit<Html, 'visibleLines'> {
		this.#endAnchor();
		this.#endLine(true);
		return {lines: this.#lines, anchors: this.#anchors};
	}

	#openCell(tag: string): void {
		const isInRow = this.#isInRow && cells.has(tag);
		this.#isInRow &&= !rows.has(tag);
		if (isInRow || (rows.has(tag) && this.#lines.at(-1) === cellBreak)) {
			this.#lines[this.#lines.length - 1] = isInRow ? cellBreak : '';
		}
	}

	#openAnchor(url: string, text: string): void {
		this.#endAnchor();
		this.#anchor = {url, text, around: '', isButton: false, isAlone: false, isLogo: !this.#hasText};
		this.#anchors.push(this.#anchor);
		this.#lineAnchors.push(this.#anchor);
	}

	#breakAt(tag: string, isInline: boolean): void {
		if (!isInline) {
			this.#endLine(tag !== 'br');
			this.text(' ');
		}
	}

	#endAnchor(): void {
		if (this.#anchor) {
			this.#anchor.text = normalizeSpace(this.#anchor.text);
			this.#anchor = undefined;
		}
	}

	#endLine(endsBlock: boolean): void {
		const line = normalizeSpace(this.#line);
		this.#line = '';
		if (line !== '') {
			this.#lines.push(line);
			this.#hasText ||= !this.#isHidden;
			this.#isInRow = true;
		}

		this.#isHidden = false;

		if (endsBlock && !isBreak(this.#lines.at(-1) ?? 'x')) {
			this.#lines.push('');
		}

		const [anchor, ...others] = this.#lineAnchors;
		if (anchor && others.length === 0) {
			anchor.around ||= line;
			anchor.isAlone ||= !this.#hasOtherText;
			anchor.isButton ||= !this.#hasOtherText && this.#isButtonCell;
		}

		this.#isButtonCell &&= line === '';
		this.#hasOtherText = false;
		this.#lineAnchors = this.#anchor ? [this.#anchor] : [];
	}
}

const rows: ReadonlySet<string> = new Set(['table', 'tr', 'dl']);
const cells: ReadonlySet<string> = new Set(['td', 'th', 'dd']);

function isWord(text: string): boolean {
	return /[\p{L}\p{N}]/u.test(text);
}

const color =
	/background(?:-color)?\s*:\s*(?!\s|;|$|#fff(?:fff)?\b|white|rgba?\( *(?:255|0, *0, *0, *0)|transparent|none|inherit|initial)/i;

/** Whether there is a color behind an element, and not that of paper. */
function isColored({style = '', bgcolor = ''}: Attributes): boolean {
	return color.test(style.slice(0, maxStyle)) || color.test(`background:${bgcolor.slice(0, maxStyle)}`);
}

/** Whether a link or an element in it looks like a button. */
function isFramed(attributes: Attributes): boolean {
	const style = attributes.style?.slice(0, maxStyle) ?? '';
	return (
		attributes.role === 'button' ||
		/btn|button|\bcta\b/i.test(attributes.class?.slice(0, maxStyle) ?? '') ||
		isColored(attributes) ||
		/border\s*:[^;]*solid/i.test(style) ||
		(/display\s*:\s*(?:inline-)?block/i.test(style) && /padding(?:-\w+)?\s*:[^;]*[1-9]/i.test(style))
	);
}
