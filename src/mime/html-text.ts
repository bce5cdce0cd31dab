import {convert} from 'html-to-text';

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** How much longer a text may be than its HTML: rules and the marks of nested quotes are more than what they stand for. */
const maxGrowth = 4;
const maxExtra = 64 * 1024;

/** The words as the HTML has them: neither wrapped nor in capitals, links behind their text, images left out. */
const options = {
	wordwrap: false,
	// Whoever calls has a deadline; the library would cut the input and say so on the console.
	limits: {maxInputLength: Number.POSITIVE_INFINITY},
	selectors: [
		...headings.map(selector => ({selector, options: {uppercase: false}})),
		{selector: 'table', options: {uppercaseHeaderCells: false}},
		{selector: 'a', options: {hideLinkHrefIfSameAsText: true}},
		{selector: 'img', format: 'skip'},
	],
};

/** HTML as text. Takes long for deeply nested HTML, and throws when it is too deep or becomes much longer than it was. */
export function textOfHtml(html: string): string {
	const text = convert(html, options);
	if (text.length > maxGrowth * html.length + maxExtra) {
		throw new Error('the text of the HTML is too long');
	}

	return text;
}
