import {type Attributes, type HtmlVisitor, visitHtml} from '../../lib/html.js';
import {TextWriter} from '../../lib/html-text.js';
import {type Color, looksSame, readColor, white} from './colors.js';
import {type Look, readDeclarations} from './declarations.js';
import {StyleSheet} from './style-sheet.js';

/** Characters of an HTML document that are read: more than mail programs show, and never long to read. */
export const maxHtml = 128 * 1024;

/** The text of an HTML document: what its readers see, and what is in it that they do not. */
export type SeenText = {readonly shown: string; readonly hidden: string};

/** Elements without content, which have no end tags. */
const voidTags: ReadonlySet<string> = new Set(
	'area base br col embed hr img input link meta source track wbr'.split(' '),
);

/**
 * Tells text that a reader sees from text that is hidden: by an attribute, a style or a simple rule of a style sheet, by its size, or
 * by a color like the one behind it. Reads no more than `maxHtml`, in time linear in that. There are more ways to hide text
 * than these: what is shown is still from anybody.
 */
export function seenText(html: string): SeenText {
	const read = html.slice(0, maxHtml);
	const reader = new SeenReader(new StyleSheet(styleSheetsOf(read)));
	visitHtml(read, reader);
	return reader.end();
}

function styleSheetsOf(html: string): string {
	if (!/<style/i.test(html)) {
		return '';
	}

	const pieces: string[] = [];
	const nothing = () => {};
	visitHtml(html, {text: nothing, open: nothing, close: nothing, style: piece => pieces.push(piece)});
	return pieces.join('');
}

/** An element that is open. */
type Level = {
	readonly tag: string;
	readonly isInline: boolean;
	readonly isHidden: boolean;
	readonly isTiny: boolean;
	readonly color: Color | 'clear';
	/** Undefined where nobody can tell. */
	readonly background: Color | undefined;
};

const page: Level = {
	tag: '',
	isInline: false,
	isHidden: false,
	isTiny: false,
	color: [0, 0, 0],
	background: white,
};

class SeenReader implements HtmlVisitor {
	readonly #sheet: StyleSheet;
	readonly #shown = new TextWriter();
	readonly #hidden = new TextWriter();
	readonly #levels: Level[] = [];
	/** By tag, how many levels there are. */
	readonly #open = new Map<string, number>();

	constructor(sheet: StyleSheet) {
		this.#sheet = sheet;
	}

	text(text: string): void {
		const {isHidden, isTiny, color, background} = this.#levels.at(-1) ?? page;
		const isUnseen = isHidden || isTiny || color === 'clear' || (background && looksSame(color, background));
		(isUnseen ? this.#hidden : this.#shown).text(text);
	}

	open(tag: string, attributes: Attributes, isInline: boolean): void {
		const level = this.#levelOf(tag, attributes, isInline);
		if (!voidTags.has(tag)) {
			this.#levels.push(level);
			this.#open.set(tag, (this.#open.get(tag) ?? 0) + 1);
		}

		for (const writer of this.#writersOf(level)) {
			writer.open(tag, attributes, isInline);
		}
	}

	close(tag: string, isInline: boolean): void {
		const level = this.#leave(tag, isInline) ?? {...(this.#levels.at(-1) ?? page), isInline};
		for (const writer of this.#writersOf(level)) {
			writer.close(tag, isInline);
		}
	}

	end(): SeenText {
		return {shown: this.#shown.end(), hidden: this.#hidden.end()};
	}

	/** Whoever is told of an element: a link that is hidden is no part of what is shown, and blocks break lines of both. */
	#writersOf({isHidden, isTiny, isInline}: Level): readonly TextWriter[] {
		const isShown = !(isHidden || (isTiny && isInline));
		return [...(isShown ? [this.#shown] : []), ...(isShown && isInline ? [] : [this.#hidden])];
	}

	#levelOf(tag: string, attributes: Attributes, isInline: boolean): Level {
		const around = this.#levels.at(-1) ?? page;
		const look: Look = {...this.#sheet.lookOf(tag, attributes), ...readDeclarations(attributes.style ?? '')};
		const color = look.color ?? readColor(attributes.color ?? '') ?? around.color;
		const given = look.background ?? (attributes.bgcolor === undefined ? 'clear' : readColor(attributes.bgcolor));
		const isHidden = around.isHidden || look.isHidden === true || attributes.hidden !== undefined;
		const background = given === 'clear' ? around.background : given === 'unknown' ? undefined : given;
		return {tag, isInline, isHidden, isTiny: look.isTiny ?? around.isTiny, color, background};
	}

	/** The level that an end tag closes; one of inline text closes no block, as in browsers. */
	#leave(tag: string, isInline: boolean): Level | undefined {
		if (!this.#open.get(tag)) {
			return undefined;
		}

		for (let level = this.#levels.at(-1); level; level = this.#levels.at(-1)) {
			if (isInline && !level.isInline) {
				return undefined;
			}

			this.#levels.pop();
			this.#open.set(level.tag, (this.#open.get(level.tag) ?? 1) - 1);
			if (level.tag === tag) {
				return level;
			}
		}

		return undefined;
	}
}
