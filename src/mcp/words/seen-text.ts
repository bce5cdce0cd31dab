import {visitVisible} from '../../domain/extract/visible-html.js';
import {TextWriter} from '../../lib/text/html-text.js';

/** Characters of an HTML document that are read: more than mail programs show, and never long to read. */
export const maxHtml = 128 * 1024;

/** The text of an HTML document: what its readers see, and what is in it that they do not. Reads no more than `maxHtml`. */
export function seenText(html: string): {readonly shown: string; readonly hidden: string} {
	const [shown, hidden] = [new TextWriter(), new TextWriter()];
	visitVisible(html.slice(0, maxHtml), shown, hidden);
	return {shown: shown.end(), hidden: hidden.end()};
}
