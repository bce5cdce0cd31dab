import {FilledText, type TemplateForm, TemplateProblem} from './template-form.js';

/**
 * Mustachio, the template engine of Postmark: `{{name}}`, `{{a.b}}`, `{{../a}}`, `{{.}}`, `{{{name}}}`, `{{&name}}`, `{{#a}}`,
 * `{{^a}}`, `{{#each a}}` and comments. Missing values are empty. Only HTML is escaped. Layouts are not supported.
 */
export const mustachio: TemplateForm = {
	check: template => void parse(template),
	fill(template, data, part) {
		const text = new FilledText();
		write(parse(template), {value: data, parent: undefined}, text, part === 'html');
		return text.toString();
	},
};

type Piece =
	| {readonly kind: 'text'; readonly text: string}
	| {readonly kind: 'value'; readonly path: string; readonly isEscaped: boolean}
	| Block;

type Block = {
	readonly kind: 'each' | 'with' | 'without';
	readonly path: string;
	readonly pieces: Piece[];
	readonly line: number;
};

/** Value with the scope that contains it. */
type Scope = {readonly value: unknown; readonly parent: Scope | undefined};

const tag = /\{\{[^{}]+\}\}|\{\{\{[^{}]+\}\}\}/g;

/** Path of dotted names, with optional leading `../`. */
const pathPattern = /^(?:\.|(?:\.\.\/)*(?:[\p{L}\p{N}_]+\.)*[\p{L}\p{N}_]+)$/u;

function parse(template: string): readonly Piece[] {
	const top: Piece[] = [];
	const open: Block[] = [];
	const add = (piece: Piece) => void (open.at(-1)?.pieces ?? top).push(piece);
	let [end, line] = [0, 1];
	for (const {0: found, index} of template.matchAll(tag)) {
		const between = template.slice(end, index);
		add({kind: 'text', text: between});
		line += linesIn(between);
		readTag(found, line, open, add);
		line += linesIn(found);
		end = index + found.length;
	}

	const unclosed = open.at(-1);
	if (unclosed) {
		throw new TemplateProblem(`"${unclosed.path}" is opened at line ${unclosed.line} and never closed.`);
	}

	add({kind: 'text', text: template.slice(end)});
	return top;
}

function readTag(found: string, line: number, open: Block[], add: (piece: Piece) => void): void {
	const isTriple = found.startsWith('{{{');
	const inside = isTriple ? found.slice(3, -3) : found.slice(2, -2);
	const [, sign = '', rest = ''] = (isTriple ? /^(&?)(.*)$/s : /^([#^/&!]?)(.*)$/s).exec(inside) ?? [];
	const [, each, named = ''] = /^(each(?=\s|$))?(.*)$/s.exec(sign === '#' || sign === '/' ? rest.trim() : rest) ?? [];
	const path = named.trim();
	if (sign === '!') {
		return;
	}

	if (sign === '/') {
		const last = open.pop();
		if (
			!last ||
			(each === undefined ? last.kind === 'each' || last.path !== path : last.kind !== 'each' || path !== '')
		) {
			throw new TemplateProblem(
				`The closing tag at line ${line} does not match the last opening tag: ${found.slice(0, 100)}.`,
			);
		}

		return;
	}

	if (!pathPattern.test(path)) {
		throw new TemplateProblem(`The tag at line ${line} has an invalid name: ${found.slice(0, 100)}.`);
	}

	if (sign !== '#' && sign !== '^') {
		add({kind: 'value', path, isEscaped: !isTriple && sign === ''});
		return;
	}

	// `{{#a}}…{{^a}}…{{/a}}`: the second tag starts the alternative of the first.
	const last = open.at(-1);
	if (each === undefined && last?.kind !== 'each' && last?.path === path) {
		open.pop();
	}

	const block: Block = {kind: each ? 'each' : sign === '#' ? 'with' : 'without', path, pieces: [], line};
	add(block);
	open.push(block);
}

function linesIn(text: string): number {
	return text.split('\n').length - 1;
}

function write(pieces: readonly Piece[], scope: Scope, text: FilledText, escapes: boolean): void {
	for (const piece of pieces) {
		if (piece.kind === 'text') {
			text.add(piece.text);
		} else if (piece.kind === 'value') {
			const value = shown(find(scope, piece.path).value);
			text.add(escapes && piece.isEscaped ? escapeHtml(value) : value);
		} else {
			writeBlock(piece, scope, text, escapes);
		}
	}
}

function writeBlock({kind, path, pieces}: Block, scope: Scope, text: FilledText, escapes: boolean): void {
	const inner = find(scope, path);
	if (isThere(inner.value) === (kind === 'without')) {
		return;
	}

	if (kind !== 'each') {
		write(pieces, inner, text, escapes);
		return;
	}

	if (!Array.isArray(inner.value)) {
		throw new TemplateProblem(`"${path}" is used as a list, but is not a list.`);
	}

	for (const value of inner.value) {
		write(pieces, {value, parent: inner}, text, escapes);
	}
}

function find(scope: Scope, path: string): Scope {
	let at = scope;
	for (const step of path.match(/\.\.\/|[^./]+/g) ?? []) {
		if (step === '../') {
			at = at.parent ?? at;
		} else {
			const {value} = at;
			const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
			at = {value: isObject && Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined, parent: at};
		}
	}

	return at;
}

function isThere(value: unknown): boolean {
	return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** Text of a value as .NET formats it; `''` for lists and objects. */
function shown(value: unknown): string {
	if (typeof value === 'boolean') {
		return value ? 'True' : 'False';
	}

	return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const entities: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

function escapeHtml(text: string): string {
	return text.replaceAll(/[&<>"']/g, sign => entities[sign] ?? sign);
}
