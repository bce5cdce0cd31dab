import type {Attributes} from '../html.js';
import {type Look, readDeclarations, withoutComments} from './declarations.js';

/** Characters of all style sheets of a document that are read. */
const maxSheet = 64 * 1024;

/** A rule for one simple selector: a tag, a class or an id, or one of these with a tag. */
const simpleSelector = /^([a-z][a-z\d]*|\*)?(?:([.#])([\w-]+))?$/i;

/**
 * What the rules of a document's style sheets say about being seen. Rules for some screens only, and selectors of several parts,
 * are left out: of those nobody can say here what they fit.
 */
export class StyleSheet {
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
