import {type Attributes, type HtmlVisitor, visitHtml} from '../html.js';
import {type Color, looksSame, readColor, white} from './colors.js';
import {type Look, readDeclarations} from './declarations.js';
import {StyleSheet} from './style-sheet.js';

/** Elements without content, which have no end tags. */
const voidTags: ReadonlySet<string> = new Set(
	'area base br col embed hr img input link meta source track wbr'.split(' '),
);

/**
 * Reads an HTML document as `visitHtml` does, for two visitors: one is told what its readers see, the other, if there is one, what
 * they do not. Text is hidden by an attribute, a style or a simple rule of a style sheet, by its size, or by a color like the
 * one behind it. Takes time linear in its length. There are more ways to hide text than these: what is shown is still from anybody.
 */
export function visitSeen(html: string, shown: HtmlVisitor, hidden?: HtmlVisitor): void {
	visitHtml(html, new SeenReader(new StyleSheet(styleSheetsOf(html)), shown, hidden));
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
	readonly #shown: HtmlVisitor;
	readonly #hidden: HtmlVisitor | undefined;
	readonly #levels: Level[] = [];
	/** By tag, how many levels there are. */
	readonly #open = new Map<string, number>();

	constructor(sheet: StyleSheet, shown: HtmlVisitor, hidden: HtmlVisitor | undefined) {
		this.#sheet = sheet;
		this.#shown = shown;
		this.#hidden = hidden;
	}

	text(text: string): void {
		const {isHidden, isTiny, color, background} = this.#levels.at(-1) ?? page;
		const isUnseen = isHidden || isTiny || color === 'clear' || (background && looksSame(color, background));
		(isUnseen ? this.#hidden : this.#shown)?.text(text);
	}

	open(tag: string, attributes: Attributes, isInline: boolean): void {
		const level = this.#levelOf(tag, attributes, isInline);
		if (!voidTags.has(tag)) {
			this.#levels.push(level);
			this.#open.set(tag, (this.#open.get(tag) ?? 0) + 1);
		}

		for (const visitor of this.#visitorsOf(level)) {
			visitor.open(tag, attributes, isInline);
		}
	}

	close(tag: string, isInline: boolean): void {
		const level = this.#leave(tag, isInline) ?? {...(this.#levels.at(-1) ?? page), isInline};
		for (const visitor of this.#visitorsOf(level)) {
			visitor.close(tag, isInline);
		}
	}

	/** Whoever is told of an element: a link that is hidden is no part of what is shown, and blocks break lines of both. */
	#visitorsOf({isHidden, isTiny, isInline}: Level): readonly HtmlVisitor[] {
		const isShown = !(isHidden || (isTiny && isInline));
		const hidden = isShown && isInline ? undefined : this.#hidden;
		return [...(isShown ? [this.#shown] : []), ...(hidden ? [hidden] : [])];
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
