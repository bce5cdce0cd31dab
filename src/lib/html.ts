import {Tokenizer} from 'htmlparser2';

/** Characters of a text or an HTML body in which codes and links are looked for. The rest is ignored, so that none takes long. */
export const maxInput = 512 * 1024;

/** The attributes that somebody here reads; `""` for one without a value. */
const wantedAttributes = ['href', 'alt', 'start', 'style', 'class', 'role', 'bgcolor'] as const;

type Attribute = (typeof wantedAttributes)[number];

export type Attributes = {readonly [Name in Attribute]?: string};

/** Is told of an HTML document from its beginning to its end. Tags are in lower case; end tags may be missing, or too many. */
export type HtmlVisitor = {
	/** Text for people, entities decoded: in pieces, white space as it is. */
	text(text: string): void;
	open(tag: string, attributes: Attributes): void;
	close(tag: string): void;
};

/** Elements whose text is not for people. */
const silentTags = new Set(['style', 'script', 'title', 'template']);

const inlineTags = new Set(
	'a abbr acronym area b bdi bdo big cite code del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup tt u var wbr'.split(
		' ',
	),
);

/** Whether an element stands in the line of the text around it. */
export function isInline(tag: string): boolean {
	return inlineTags.has(tag);
}

/**
 * Reads HTML in time linear in its length. It uses htmlparser2's tokenizer and no tree: the tree builder of that
 * library needs quadratic time for deep nesting.
 */
export function visitHtml(html: string, visitor: HtmlVisitor): void {
	let tag = '';
	let attribute: Attribute | undefined;
	let attributes: {[Name in Attribute]?: string} = {};
	let silent: string | undefined;

	const text = (piece: string) => {
		if (silent === undefined) {
			visitor.text(piece);
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

		visitor.open(tag, attributes);
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
				visitor.close(closed);
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

/**
 * The text as a reader sees it: white space as one space and nothing invisible, but for a joiner between two characters,
 * which changes how they look.
 */
export function visibleText(text: string): string {
	return text
		.replace(gaps, gap =>
			/\s/.test(gap.replaceAll('\ufeff', '')) ? ' ' : gap === '\u200c' || gap === '\u200d' ? gap : '',
		)
		.replace(/^[ \u200c\u200d]+|[ \u200c\u200d]+$/g, '');
}

/** The text for a search: as a reader sees it, full-width ASCII made narrow, dashes as `-`. */
export function normalizeSpace(text: string): string {
	return text
		.replace(invisible, '')
		.replace(/[\uff01-\uff5e]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
		.replace(/[\u2010-\u2015\u2212]/g, '-')
		.replace(/\s+/g, ' ')
		.trim();
}
