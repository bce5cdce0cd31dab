import {type Attributes, type HtmlVisitor, maxStyle, visitHtml} from '../../lib/text/html.js';

/** Red, green and blue, from 0 to 255. */
type Color = readonly [number, number, number];

const white: Color = [255, 255, 255];

/** Elements without content or end tag. */
const voidTags: ReadonlySet<string> = new Set(
	'area base br col embed hr img input link meta source track wbr'.split(' '),
);

/**
 * Passes the visible parts of an HTML document to `shown` and the hidden parts to `hidden`. Text is hidden by an
 * attribute, a style, a simple rule of a style sheet, its size, or a color that equals its background. Takes linear time.
 * It does not know every way to hide text: visible text is still untrusted.
 */
export function visitVisible(html: string, shown: HtmlVisitor, hidden?: HtmlVisitor): void {
	visitHtml(html, new VisibilityReader(new StyleSheet(styleSheetsOf(html)), shown, hidden));
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

/** Open element. */
type Level = {
	readonly tag: string;
	readonly isInline: boolean;
	readonly isHidden: boolean;
	readonly isTiny: boolean;
	readonly color: Color | 'clear';
	/** Undefined if unknown. */
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

class VisibilityReader implements HtmlVisitor {
	readonly #sheet: StyleSheet;
	readonly #shown: HtmlVisitor;
	readonly #hidden: HtmlVisitor | undefined;
	readonly #levels: Level[] = [];
	/** Number of open elements by tag. */
	readonly #open = new Map<string, number>();

	constructor(sheet: StyleSheet, shown: HtmlVisitor, hidden: HtmlVisitor | undefined) {
		this.#sheet = sheet;
		this.#shown = shown;
		this.#hidden = hidden;
	}

	text(text: string): void {
		const {isHidden, isTiny, color, background} = this.#levels.at(-1) ?? page;
		const isInvisible = isHidden || isTiny || color === 'clear' || (background && looksSame(color, background));
		(isInvisible ? this.#hidden : this.#shown)?.text(text);
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

	/** Returns the visitors of an element. A hidden link is not part of the visible document; blocks break the lines of both. */
	#visitorsOf({isHidden, isTiny, isInline}: Level): readonly HtmlVisitor[] {
		const isShown = !(isHidden || (isTiny && isInline));
		const hidden = isShown && isInline ? undefined : this.#hidden;
		return [...(isShown ? [this.#shown] : []), ...(hidden ? [hidden] : [])];
	}

	#levelOf(tag: string, attributes: Attributes, isInline: boolean): Level {
		const around = this.#levels.at(-1) ?? page;
		const style: VisibilityStyle = {
			...this.#sheet.styleOf(tag, attributes),
			...readDeclarations(attributes.style ?? ''),
		};
		const color = style.color ?? readColor(attributes.color ?? '') ?? around.color;
		const ownBackground =
			style.background ?? (attributes.bgcolor === undefined ? 'clear' : readColor(attributes.bgcolor));
		const isHidden = around.isHidden || style.isHidden === true || attributes.hidden !== undefined;
		const background =
			ownBackground === 'clear' ? around.background : ownBackground === 'unknown' ? undefined : ownBackground;
		return {tag, isInline, isHidden, isTiny: style.isTiny ?? around.isTiny, color, background};
	}

	/** Closes the element of an end tag. As in browsers, an inline end tag closes no block. */
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

/** Maximum number of characters of all style sheets together. */
const maxSheet = 64 * 1024;

/** A selector for a tag, a class or an id, or a tag with one of these. */
const simpleSelector = /^([a-z][a-z\d]*|\*)?(?:([.#])([\w-]+))?$/i;

/**
 * Rules of the style sheets of a document about visibility. Ignores media queries and combined selectors, whose elements
 * are unknown here.
 */
class StyleSheet {
	/** Styles by selector in lower case: `div`, `.note`, `#top`, `div.note`. */
	readonly #styles = new Map<string, VisibilityStyle>();

	constructor(css: string) {
		for (const [selectors, declarations] of rulesOf(css.slice(0, maxSheet))) {
			const style = readDeclarations(declarations);
			if (Object.keys(style).length > 0) {
				for (const selector of selectors.split(',')) {
					this.#add(selector.trim(), style);
				}
			}
		}
	}

	/** Returns the style of an element; later rules win. */
	styleOf(tag: string, {class: classes = '', id = ''}: Attributes): VisibilityStyle {
		if (this.#styles.size === 0) {
			return {};
		}

		const names = classes.slice(0, 200).toLowerCase().split(/\s+/);
		const selectors = ['*', tag, ...names.flatMap(name => [`.${name}`, `${tag}.${name}`]), `#${id.toLowerCase()}`];
		return Object.assign({}, ...selectors.map(selector => this.#styles.get(selector)));
	}

	#add(selector: string, style: VisibilityStyle): void {
		if (selector !== '' && simpleSelector.test(selector)) {
			const key = selector.toLowerCase().replace(/^\*(?=[.#])/, '');
			this.#styles.set(key, {...this.#styles.get(key), ...style});
		}
	}
}

/** Yields selectors and declarations of the unconditional rules. */
function* rulesOf(css: string): Generator<readonly [selectors: string, declarations: string]> {
	/** Number of open blocks from the outermost conditional one. */
	let conditions = 0;
	let selectors = '';
	const pieces = withoutComments(css).split(/([{}])/);
	for (let index = 0; index + 1 < pieces.length; index += 2) {
		const [text, mark] = [pieces[index]?.trim() ?? '', pieces[index + 1]];
		if (mark === '{') {
			const isCondition = text.startsWith('@') && text.includes('(');
			if (conditions > 0 || isCondition) {
				conditions++;
			}

			selectors = text.replace(/^.*;/s, '').trim();
		} else {
			if (conditions === 0 && selectors !== '' && !selectors.startsWith('@')) {
				yield [selectors, text];
			}

			selectors = '';
			conditions = Math.max(0, conditions - 1);
		}
	}
}

/** Visibility properties of a style; unspecified ones are absent. */
type VisibilityStyle = {
	/** Hides the element with its content. */
	readonly isHidden?: true;
	/** True if the text is too small to read. */
	readonly isTiny?: boolean;
	readonly color?: Color | 'clear';
	/** `unknown` for a background other than a color, such as an image. */
	readonly background?: Color | 'clear' | 'unknown';
};

/** Quick check that most styles fail. */
const worthReading =
	/display|visib|opac|font|overflow|indent|left|top|right|bottom|margin|clip|scale|color|background|\\/i;

/** Values that hide an element, by property. */
const hiding: ReadonlyArray<readonly [property: RegExp, value: RegExp]> = [
	[/^display$/, /^none$/],
	[/^visibility$/, /^(?:hidden|collapse)$/],
	[/^opacity$/, /^0*(?:\.0\d*)?%?$/],
	[/^(?:left|top|right|bottom|text-indent|margin(?:-left|-top)?)$/, /^-\d{3}/],
	[/^clip$/, /^rect\(\s*0/],
	[/^clip-path$/, /^inset\(\s*(?:50|100)%/],
	[/^(?:transform|scale)$/, /^(?:scale\()?\s*0(?:\.0\d*)?\b/],
];

/** Properties that hide an element with `overflow: hidden` if they are 0. */
const noRoom = /^(?:max-)?(?:height|width)$/;

/** Font sizes that cannot be read. */
const tinySize = /^(?:[01](?:\.\d+)?|\.\d+)(?:px|pt)?$|^0*(?:\.[01]\d*)?(?:r?em)$|^\d?%$/;

/** Parses the declarations of a `style` attribute or a rule, up to `maxStyle` characters. */
function readDeclarations(style: string): VisibilityStyle {
	const text = style.slice(0, maxStyle);
	if (!worthReading.test(text)) {
		return {};
	}

	const declared = parse(text);
	const size = declared.get('font-size') ?? (/(?:^|\s)0[/\s]/.test(declared.get('font') ?? '') ? '0' : undefined);
	const color = readColor(declared.get('color') ?? '');
	const background = declared.get('background-color') ?? declared.get('background');
	return {
		...(isHiding(declared) && {isHidden: true}),
		...(size !== undefined && {isTiny: tinySize.test(size)}),
		...(color && {color}),
		...(background !== undefined && {background: readColor(background) ?? 'unknown'}),
	};
}

function isHiding(declared: ReadonlyMap<string, string>): boolean {
	const all = [...declared];
	const isCutOff = /^(?:hidden|clip)/.test(declared.get('overflow') ?? '');
	return all.some(
		([name, value]) =>
			hiding.some(([property, hidden]) => property.test(name) && value !== '' && hidden.test(value)) ||
			(isCutOff && noRoom.test(name) && /^0(?![\d.])/.test(value)),
	);
}

/** Returns values by property, with comments and escapes resolved. */
function parse(style: string): ReadonlyMap<string, string> {
	const plain = withoutComments(style)
		.replace(/\\([\da-f]{1,5})\s?/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
		.toLowerCase();
	return new Map(
		plain.split(';').map(declaration => {
			const [name = '', ...value] = declaration.split(':');
			return [name.trim(), value.join(':').replace('!important', '').trim()];
		}),
	);
}

/** Removes comments from CSS in linear time. An unterminated comment extends to the end. */
function withoutComments(css: string): string {
	const [first = '', ...others] = css.split('/*');
	const behind = others.map(piece => {
		const end = piece.indexOf('*/');
		return end === -1 ? '' : piece.slice(end + 2);
	});
	return [first, ...behind].join('');
}

/** Maximum difference per component of colors that look the same. */
const sameWithin = 24;

const named: Readonly<Record<string, Color>> = {
	white,
	snow: [255, 250, 250],
	ivory: [255, 255, 240],
	whitesmoke: [245, 245, 245],
	ghostwhite: [248, 248, 255],
	black: [0, 0, 0],
};

/** Parses a color of CSS or of an attribute; `clear` for a transparent one, undefined for an unknown one. */
function readColor(text: string): Color | 'clear' | undefined {
	const value = text.trim().toLowerCase();
	const [, hex] = /^#?([\da-f]{3}|[\da-f]{6})$/.exec(value) ?? [];
	if (hex !== undefined) {
		const step = hex.length / 3;
		const part = (index: number) =>
			Number.parseInt(hex.slice(index * step, (index + 1) * step).padEnd(2, hex[index] ?? ''), 16);
		return [part(0), part(1), part(2)];
	}

	const parts = /^rgba?\(\s*(\d+)\s*[, ]\s*(\d+)\s*[, ]\s*(\d+)\s*(?:[,/]\s*([\d.]+)(%)?\s*)?\)$/.exec(value);
	if (parts) {
		const [, red, green, blue, opacity = '1', percent] = parts;
		const isClear = Number(opacity) * (percent ? 0.01 : 1) < 0.1;
		return isClear ? 'clear' : [Number(red), Number(green), Number(blue)];
	}

	return value === 'transparent' ? 'clear' : named[value];
}

/** True if text in one color cannot be seen on a background of the other. */
function looksSame(one: Color, other: Color): boolean {
	return one.every((part, index) => Math.abs(part - (other[index] ?? 0)) <= sameWithin);
}
