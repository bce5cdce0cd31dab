import {type Attributes, maxStyle, normalizeSpace, visitHtml} from '../../lib/text/html.js';
import {maxScannedLength} from '../../lib/text/links.js';
import {visitVisible} from './visible-html.js';

/** Link in the order of the document, with properties for its ranking. */
export type Anchor = {
	readonly url: string;
	readonly text: string;
	/** Its line, unless the line has other links. */
	readonly around: string;
	/** True if the style of the link, of its content, or of the table cell that it fills looks like a button. */
	readonly isButton: boolean;
	/** True if nothing else is on its line. */
	readonly isAlone: boolean;
	/** True for an image above all visible text, the usual place of a logo. */
	readonly isLogo: boolean;
};

export type Html = {
	/** Text, one line per block or table cell, with `''` between blocks and `cellBreak` between the cells of a row. */
	readonly lines: readonly string[];
	readonly anchors: readonly Anchor[];
	/** Parses the HTML again and returns only visible lines, without preview texts. */
	readonly visibleLines: () => readonly string[];
};

/** Separator between the cells of a row or the terms of a list. */
export const cellBreak = '\t';

/** True for a separator between blocks or cells. */
export function isBreak(line: string): boolean {
	return line === '' || line === cellBreak;
}

/** Reads the first 512 KiB of an HTML body for the extraction of codes and links. */
export function readHtml(html: string): Html {
	const read = html.slice(0, maxScannedLength);
	const reader = new Reader();
	visitHtml(read, reader);
	const visibleLines = () => {
		const shown = new Reader();
		visitVisible(read, shown);
		return shown.end().lines;
	};
	return {...reader.end(), visibleLines};
}

type OpenAnchor = {-readonly [Key in keyof Anchor]: Anchor[Key]};

class Reader {
	readonly #lines: string[] = [];
	readonly #anchors: OpenAnchor[] = [];
	#line = '';
	/** True once there is a visible line. */
	#hasText = false;
	#isHidden = false;
	/** True if the row has text. */
	#isInRow = false;
	/** True if the line has text outside links. */
	#hasOtherText = false;
	#lineAnchors: OpenAnchor[] = [];
	#anchor: OpenAnchor | undefined;
	/** True if a link that fills the current cell looks like a button. */
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

/** True if the background has a color other than white. */
function isColored({style = '', bgcolor = ''}: Attributes): boolean {
	return color.test(style.slice(0, maxStyle)) || color.test(`background:${bgcolor.slice(0, maxStyle)}`);
}

/** True if the style of a link or of an element in it looks like a button. */
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
