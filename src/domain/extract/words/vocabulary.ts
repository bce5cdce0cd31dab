import {PhraseFinder} from '../phrase-finder.js';
import type {Column, Words} from './columns.js';
import {eastern} from './eastern.js';
import {european} from './european.js';
import {further} from './further.js';
import {germanic} from './germanic.js';
import {indic} from './indic.js';
import {nordic} from './nordic.js';
import {romance} from './romance.js';
import {slavic} from './slavic.js';
import {southSlavic} from './south-slavic.js';
import {southern} from './southern.js';
import {turkic} from './turkic.js';

/** The words of each language, by its ISO 639 code. */
export const languages: Readonly<Record<string, Words>> = {
	...germanic,
	...nordic,
	...romance,
	...slavic,
	...southSlavic,
	...european,
	...turkic,
	...eastern,
	...southern,
	...indic,
	...further,
};

/** Columns whose phrases may begin a longer word. */
const stems: ReadonlySet<string> = new Set<Column>(['verify', 'about', 'offer', 'cart', 'parcel', 'failure']);

/** Finds the words of all languages at once: many mails have two, and few say which. */
export function createVocabulary(): PhraseFinder<Column> {
	const finder = new PhraseFinder<Column>();
	for (const words of Object.values(languages)) {
		for (const [column, list] of Object.entries(words) as Array<[Column, string]>) {
			for (const phrase of list.split(/[,\n]/).map(text => text.trim())) {
				finder.add(column, stems.has(column) ? `${phrase}~` : phrase);
			}
		}
	}

	return finder;
}
