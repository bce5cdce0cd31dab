import {type Attributes, type HtmlVisitor, maxStyle, visitHtml} from '../../lib/text/html.js';

/** Red, green and blue, each from 0 to 255. */
type Color = readonly [number, number, number];

const white: Color = [255, 255, 255];

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

/** Characters of all style sheets of a document that are read. */
const maxSheet = 64 * 1024;

/** A rule for one simple selector: a tag, a class or an id, or one of these with a tag. */
const simpleSelector = /^([a-z][a-z\d]*|\*)?(?:([.#])([\w-]+))?$/i;

/**
 * What the rules of a document's style sheets say about being seen. Rules for some screens only, and selectors of several parts,
 * are left out: of those nobody can say here what they fit.
 */
class StyleSheet {
	/** By selector, in lower case: `div`, `.note`, `#top`, `div.note`. */
	readonly #looks = new Map<string, Look>();

	constructor(css: string) {
		for (const [selectors, declarations] of rulesOf(css.slice(0, maxSheet))) {
			const look = readDeclarations(declarations);
			if (Object.keys(look).length > 0) {
				for (const selector of selectors.split(',')) {
					this.#add(selector.trim(), look);
				}
			}
		}
	}

	/** Those for an element, later ones over earlier ones. */
	lookOf(tag: string, {class: classes = '', id = ''}: Attributes): Look {
		if (this.#looks.size === 0) {
			return {};
		}

		const names = classes.slice(0, 200).toLowerCase().split(/\s+/);
		const selectors = ['*', tag, ...names.flatMap(name => [`.${name}`, `${tag}.${name}`]), `#${id.toLowerCase()}`];
		return Object.assign({}, ...selectors.map(selector => this.#looks.get(selector)));
	}

	#add(selector: string, look: Look): void {
		if (selector !== '' && simpleSelector.test(selector)) {
			const key = selector.toLowerCase().replace(/^\*(?=[.#])/, '');
			this.#looks.set(key, {...this.#looks.get(key), ...look});
		}
	}
}

/** Selectors and declarations of the rules that hold on every screen. */
function* rulesOf(css: string): Generator<readonly [selectors: string, declarations: string]> {
	/** How many blocks are open, from the outermost one that holds under a condition. */
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

/** What the declarations of a style say about being seen; what they do not say is absent. */
type Look = {
	/** With all that is in it. */
	readonly isHidden?: true;
	/** Whether its text is too small to be read. */
	readonly isTiny?: boolean;
	readonly color?: Color | 'clear';
	/** `unknown` for what is no color, as an image. */
	readonly background?: Color | 'clear' | 'unknown';
};

/** Whether a style can have anything to do with it; most have not. */
const worthReading =
	/display|visib|opac|font|overflow|indent|left|top|right|bottom|margin|clip|scale|color|background|\\/i;

/** Values by which an element is not seen; those of a pattern by the properties that it fits. */
const hiding: ReadonlyArray<readonly [property: RegExp, value: RegExp]> = [
	[/^display$/, /^none$/],
	[/^visibility$/, /^(?:hidden|collapse)$/],
	[/^opacity$/, /^0*(?:\.0\d*)?%?$/],
	[/^(?:left|top|right|bottom|text-indent|margin(?:-left|-top)?)$/, /^-\d{3}/],
	[/^clip$/, /^rect\(\s*0/],
	[/^clip-path$/, /^inset\(\s*(?:50|100)%/],
	[/^(?:transform|scale)$/, /^(?:scale\()?\s*0(?:\.0\d*)?\b/],
];

/** The same together with an overflow that is cut off. */
const noRoom = /^(?:max-)?(?:height|width)$/;

/** Pixels or points that cannot be read, and other units. */
const tinySize = /^(?:[01](?:\.\d+)?|\.\d+)(?:px|pt)?$|^0*(?:\.[01]\d*)?(?:r?em)$|^\d?%$/;

/** Reads the declarations of a `style` attribute or of a rule, as far as `maxStyle`. */
function readDeclarations(style: string): Look {
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

/** Values by property, comments and escapes resolved. */
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

/** CSS without its comments, in time linear in its length; one that does not end takes all that follows. */
function withoutComments(css: string): string {
	const [first = '', ...others] = css.split('/*');
	const behind = others.map(piece => {
		const end = piece.indexOf('*/');
		return end === -1 ? '' : piece.slice(end + 2);
	});
	return [first, ...behind].join('');
}

/** How far apart two colors may be in each part and still look the same. */
const sameWithin = 24;

const named: Readonly<Record<string, Color>> = {
	white,
	snow: [255, 250, 250],
	ivory: [255, 255, 240],
	whitesmoke: [245, 245, 245],
	ghostwhite: [248, 248, 255],
	black: [0, 0, 0],
};

/** A color of CSS or of an attribute; `clear` for one that is not seen, undefined for what is not known here. */
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

/** Whether nobody tells text in the one from a background in the other. */
function looksSame(one: Color, other: Color): boolean {
	return one.every((part, index) => Math.abs(part - (other[index] ?? 0)) <= sameWithin);
}
