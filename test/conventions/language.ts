import {parseSync} from 'oxc-parser';

/** The kinds of text that the style guide covers. Code inside them is not text. */
export type TextKind = 'comment' | 'string' | 'prose';

type Text = {readonly kind: TextKind; readonly line: number; readonly text: string};

export type Finding = {readonly line: number; readonly pattern: string; readonly text: string};

type Pattern = {
	readonly name: string;
	/** Matched against one sentence at a time. */
	readonly regex: RegExp;
	readonly kinds: readonly TextKind[];
};

const everywhere: readonly TextKind[] = ['comment', 'string', 'prose'];

const verbs = '(?:be|been|go|come|act|\\w+ed|done|made|kept|sent|read|told|given|taken|found|filled|written)';

/** Forms such as `has each mail sent`, `have nothing come back` and `has a small mail read that …`. */
const causative = new RegExp(
	`\\b(?:has|have|had|having) (?:(?:it|them|this|these|what|all|each|nothing|mail|your|its|their)(?: (?!been\\b)[\\w-]+){0,3}?|(?:an?|the)(?: [\\w-]+){1,2}?) ${verbs}(?=[.,;]|$| (?:that|which|in|for|as|on|by|to|with|back|wrong|again|told|announced)\\b)`,
	'i',
);

/** Forms that CONTRIBUTING.md asks writers to avoid, because readers have to decode them. */
export const patterns: readonly Pattern[] = [
	{
		name: 'a headless clause instead of a noun phrase',
		regex: /^(?:what|whether|how|who|whom|whose|where|which)\b(?!.*\?)(?! (?:to|else)\b)/i,
		kinds: ['comment', 'string'],
	},
	{
		name: 'a fragment that leans on the name of the symbol',
		regex: /^(?:Of|As|By|Beyond|That of|Those|Once)\b[^,]*$/,
		kinds: ['comment'],
	},
	{
		name: 'a causative "has X done"',
		regex: causative,
		kinds: everywhere,
	},
	{
		name: 'a causative "let"',
		regex: /\b(?:lets?|letting) (?:it|them|the|a|an|its|all|this|these)\b/i,
		kinds: ['string', 'prose'],
	},
	{
		name: 'a paraphrased quantity',
		regex: /\bso (?:many|long)\b|\ball that\b|(?<!no )\bsuch (?!as\b)/i,
		kinds: everywhere,
	},
	{
		name: 'a chain of pronouns',
		regex: /\b(?:that|those) of\b|\bthe ones? (?:of|that)\b|\bit all\b/i,
		kinds: everywhere,
	},
	{
		name: 'a verb of motion for data',
		regex:
			/\b(?:mails?|messages?|data|requests?|repl(?:y|ies)|answers?|events?|what|bounces?) (?:comes?|came|goes?|went|stands?)\b/i,
		kinds: everywhere,
	},
	{
		name: '"told" for reported',
		regex: /\b(?:is|are|was|were|be|been) told\b|\btells? of\b|\btold of\b/i,
		kinds: everywhere,
	},
	{
		name: 'a trailing condition',
		regex: /, (?:where|if|when) (?:that|it|they|there|he|she) (?:is|are|was|were|does|do|has|have)(?: so)?\.?$/i,
		kinds: everywhere,
	},
	{
		name: 'an idiom that translates another language',
		regex:
			/\bby then\b|\bany more\b|\bin vain\b|\bof (?:its|their|our) own(?=[\].,;:)]|$)|\bfor ever\b|\bwhere that is so\b/i,
		kinds: everywhere,
	},
];

/** Every finding in the texts of these kinds in a file. */
export function findingsIn(
	file: string,
	source: string,
	checked: readonly TextKind[] = everywhere,
): readonly Finding[] {
	const texts = file.endsWith('.md') ? proseOf(source) : textsOf(file, source);
	return texts
		.filter(({kind}) => checked.includes(kind))
		.flatMap(({kind, line, text}) =>
			sentencesOf(text).flatMap(sentence =>
				patterns
					.filter(({kinds, regex}) => kinds.includes(kind) && regex.test(sentence))
					.map(({name}) => ({line, pattern: name, text: sentence})),
			),
		);
}

function sentencesOf(text: string): readonly string[] {
	return text
		.replaceAll(/`[^`]*`/g, 'code')
		.replaceAll(/\s+/g, ' ')
		.trim()
		.split(/(?<=[.!?]) /);
}

/** Paragraphs, list items and table cells of Markdown, without fenced code and link targets. */
function proseOf(markdown: string): readonly Text[] {
	const texts: Text[] = [];
	let isCode = false;
	let paragraph: {line: number; text: string} | undefined;
	const flush = () => {
		if (paragraph) {
			texts.push({kind: 'prose', ...paragraph});
		}

		paragraph = undefined;
	};
	for (const [index, raw] of markdown.split('\n').entries()) {
		if (raw.trimStart().startsWith('```')) {
			isCode = !isCode;
			flush();
		} else if (!isCode) {
			const text = raw.replaceAll(/\]\([^)]*\)/g, ']').replaceAll(/^\s*(?:[-*#>]+|\d+\.)\s/g, '');
			if (raw.startsWith('|')) {
				flush();
				const cells = text.split('|').filter(cell => /\w/.test(cell));
				texts.push(...cells.map(cell => ({kind: 'prose' as const, line: index + 1, text: cell})));
			} else if (text !== raw || raw.trim() === '') {
				flush();
				paragraph = raw.trim() === '' ? undefined : {line: index + 1, text};
			} else {
				paragraph = {line: paragraph?.line ?? index + 1, text: `${paragraph?.text ?? ''} ${text}`};
			}
		}
	}

	flush();
	return texts;
}

type Node = {readonly type: string; readonly start: number} & Record<string, unknown>;

/** The comments of a TypeScript file, and its strings of three words or more. */
function textsOf(file: string, source: string): readonly Text[] {
	const {program, comments} = parseSync(file, source);
	const lineOf = (offset: number) => source.slice(0, offset).split('\n').length;
	const texts: Text[] = comments.map(({start, value}) => ({
		kind: 'comment' as const,
		line: lineOf(start),
		text: value.replaceAll(/^\s*\*+ ?/gm, ' ').replaceAll(/@\w+/g, ''),
	}));
	const visit = (value: unknown): void => {
		if (Array.isArray(value)) {
			value.forEach(visit);
		} else if (isNode(value)) {
			const text = stringOf(value);
			if (text !== undefined && /\p{L}+ \p{L}+ \p{L}+/u.test(text)) {
				texts.push({kind: 'string', line: lineOf(value.start), text});
			}

			// Tagged templates hold other languages, such as SQL.
			const children = value.type === 'TaggedTemplateExpression' ? [] : Object.values(value);
			children.forEach(visit);
		}
	};
	visit(program);
	return texts;
}

function isNode(value: unknown): value is Node {
	return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The text of a string literal, a whole template (expressions become "x") or JSX text. */
function stringOf(node: Node): string | undefined {
	if (node.type === 'TemplateLiteral') {
		const quasis = node['quasis'] as ReadonlyArray<{readonly value: {readonly cooked: string | null}}>;
		return quasis.map(({value}) => value.cooked ?? '').join('x');
	}

	const {value} = node as {readonly value?: unknown};
	return (node.type === 'Literal' || node.type === 'JSXText') && typeof value === 'string' ? value : undefined;
}
