import {maxStyle} from '../html.js';
import {type Color, readColor} from './colors.js';

/** What the declarations of a style say about being seen; what they do not say is absent. */
export type Look = {
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
export function readDeclarations(style: string): Look {
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
export function withoutComments(css: string): string {
	const [first = '', ...others] = css.split('/*');
	const behind = others.map(piece => {
		const end = piece.indexOf('*/');
		return end === -1 ? '' : piece.slice(end + 2);
	});
	return [first, ...behind].join('');
}
