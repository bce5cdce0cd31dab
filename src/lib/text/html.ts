import {Tokenizer} from 'htmlparser2';

/** Attributes passed to visitors; `""` for one without a value. */
const wantedAttributes = [
	'href',
	'alt',
	'type',
	'start',
	'style',
	'class',
	'id',
	'hidden',
	'role',
	'color',
	'bgcolor',
] as const;

type Attribute = (typeof wantedAttributes)[number];

export type Attributes = {readonly [Name in Attribute]?: string};

/** Receives the elements of an HTML document in order. Tags are in lower case; end tags may be missing or superfluous. */
export type HtmlVisitor = {
	/** Visible text in pieces, with entities decoded and white space unchanged. */
	text(text: string): void;
	open(tag: string, attributes: Attributes, isInline: boolean): void;
	close(tag: string, isInline: boolean): void;
	/** Piece of a style sheet in the document. */
	style?(text: string): void;
};

/** Elements whose text is not shown. */
const silentTags = new Set(['style', 'script', 'title', 'template']);

/** Inline elements, unless their style says otherwise. */
const inlineTags = new Set(
	'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr picture q rb rp rt ruby s samp small span strike strong sub sup time tt u var'.split(
		' ',
	),
);

/** Inline elements without content, which have no end tag. */
const voidTags = new Set(['area', 'img', 'input', 'wbr']);

/** Characters of a style or class attribute that are examined. */
export const maxStyle = 1000;

const blockStyle = /display\s*:\s*(?:block|flex|grid|list-item|table)(?![\w-])/i;

/**
 * Parses HTML in linear time with the tokenizer of htmlparser2. The tree builder of that library takes quadratic time for
 * deep nesting.
 */
export function visitHtml(html: string, visitor: HtmlVisitor): void {
	let tag = '';
	let attribute: Attribute | undefined;
	let attributes: {[Name in Attribute]?: string} = {};
	let silent: string | undefined;
	/** Open elements of each inline tag: true for those displayed inline. */
	const inlines = new Map([...inlineTags].map(inline => [inline, [] as boolean[]]));

	const text = (piece: string) => {
		if (silent === undefined) {
			visitor.text(piece);
		} else if (silent === 'style') {
			visitor.style?.(piece);
		}
	};
	const value = (piece: string) => {
		if (attribute !== undefined) {
			attributes[attribute] += piece;
		}
	};
	const open = () => {
		if (silentTags.has(tag)) {
			silent ??= tag;
		}

		const kind = inlines.get(tag);
		const isBlock = attributes.style !== undefined && blockStyle.test(attributes.style.slice(0, maxStyle));
		kind?.push(!isBlock);
		visitor.open(tag, attributes, kind ? !isBlock : voidTags.has(tag));
	};
	const ignore = () => {};
	const tokenizer = new Tokenizer(
		{xmlMode: false, decodeEntities: true},
		{
			ontext: (start, end) => text(html.slice(start, end)),
			ontextentity: codepoint => text(String.fromCodePoint(codepoint)),
			onopentagname: (start, end) => {
				tag = html.slice(start, end).toLowerCase();
				attributes = {};
			},
			onattribname: (start, end) => {
				const name = html.slice(start, end).toLowerCase();
				// The first attribute of a name counts.
				attribute = wantedAttributes.find(wanted => wanted === name && attributes[wanted] === undefined);
				if (attribute !== undefined) {
					attributes[attribute] = '';
				}
			},
			onattribdata: (start, end) => value(html.slice(start, end)),
			onattribentity: codepoint => value(String.fromCodePoint(codepoint)),
			onattribend: ignore,
			onopentagend: open,
			onselfclosingtag: open,
			onclosetag: (start, end) => {
				const closed = html.slice(start, end).toLowerCase();
				silent = closed === silent ? undefined : silent;
				const kind = inlines.get(closed);
				visitor.close(closed, kind ? (kind.pop() ?? true) : voidTags.has(closed));
			},
			oncdata: ignore,
			oncomment: ignore,
			ondeclaration: ignore,
			onprocessinginstruction: ignore,
			onend: ignore,
		},
	);
	tokenizer.write(html);
	tokenizer.end();
}

/** Invisible characters: soft hyphens, joiners, bidi controls, and fillers at the end of a preview text. */
const invisibleRange =
	'\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff';
const invisible = new RegExp(`[${invisibleRange}\\u2028\\u2029]+`, 'g');
const gaps = new RegExp(`(?! [^\\s${invisibleRange}])[\\s${invisibleRange}]+`, 'g');

/** Matches trimmed texts that need cleaning; few do. */
const unclean = new RegExp(`[^\\S ]| {2}|[${invisibleRange}\\uff01-\\uff5e\\u2010-\\u2015\\u2212]`);

/**
 * Text as it is displayed: white space collapsed, invisible characters removed, except a joiner between two characters,
 * which changes their look.
 */
export function visibleText(text: string): string {
	const trimmed = text.trim();
	if (!unclean.test(trimmed)) {
		return trimmed;
	}

	return trimmed
		.replace(gaps, gap =>
			/\s/.test(gap.replaceAll('\ufeff', '')) ? ' ' : gap === '\u200c' || gap === '\u200d' ? gap : '',
		)
		.replace(/^[ \u200c\u200d]+|[ \u200c\u200d]+$/g, '');
}

/** Text normalized for a search: as displayed, full-width ASCII made narrow, dashes as `-`. */
export function normalizeSpace(text: string): string {
	const trimmed = text.trim();
	if (!unclean.test(trimmed)) {
		return trimmed;
	}

	return trimmed
		.replace(invisible, '')
		.replace(/[\uff01-\uff5e]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
		.replace(/[\u2010-\u2015\u2212]/g, '-')
		.replace(/\s{2,}|[^\S ]/g, ' ')
		.trim();
}
