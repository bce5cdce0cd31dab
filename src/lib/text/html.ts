import {Tokenizer} from 'htmlparser2';

/** The attributes that somebody here reads; `""` for one without a value. */
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

/**
 * Is told of an HTML document from its beginning to its end. Tags are in lower case; end tags may be missing, or too many.
 * An element is inline when it stands in the line of the text around it.
 */
export type HtmlVisitor = {
	/** Text for people, entities decoded: in pieces, white space as it is. */
	text(text: string): void;
	open(tag: string, attributes: Attributes, isInline: boolean): void;
	close(tag: string, isInline: boolean): void;
	/** A piece of a style sheet in the document. */
	style?(text: string): void;
};

/** Elements whose text is not for people. */
const silentTags = new Set(['style', 'script', 'title', 'template']);

/** Elements in the line of the text around them, unless their style says otherwise. */
const inlineTags = new Set(
	'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr picture q rb rp rt ruby s samp small span strike strong sub sup time tt u var'.split(
		' ',
	),
);

/** The same without content, which have no end tags. */
const voidTags = new Set(['area', 'img', 'input', 'wbr']);

/** Characters of a style or a class that are looked at. */
export const maxStyle = 1000;

const blockStyle = /display\s*:\s*(?:block|flex|grid|list-item|table)(?![\w-])/i;

/**
 * Reads HTML in time linear in its length. It uses htmlparser2's tokenizer and no tree: the tree builder of that
 * library needs quadratic time for deep nesting.
 */
export function visitHtml(html: string, visitor: HtmlVisitor): void {
	let tag = '';
	let attribute: Attribute | undefined;
	let attributes: {[Name in Attribute]?: string} = {};
	let silent: string | undefined;
	/** Of each kind of inline elements, whether those that are open are inline. */
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
				// The first of several with one name counts.
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

/** What nobody sees: soft hyphens, joiners, bidi controls, and what fills the end of a preview text. */
const unseen =
	'\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff';
const invisible = new RegExp(`[${unseen}\\u2028\\u2029]+`, 'g');
const gaps = new RegExp(`(?! [^\\s${unseen}])[\\s${unseen}]+`, 'g');

/** What a trimmed text may have to be cleaned of; nearly none has any. */
const unclean = new RegExp(`[^\\S ]| {2}|[${unseen}\\uff01-\\uff5e\\u2010-\\u2015\\u2212]`);

/**
 * The text as a reader sees it: white space as one space and nothing invisible, but for a joiner between two characters,
 * which changes how they look.
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

/** The text for a search: as a reader sees it, full-width ASCII made narrow, dashes as `-`. */
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
