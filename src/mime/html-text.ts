import {convert} from 'html-to-text';

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

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

/** HTML as text. Takes long for deeply nested HTML, and throws when it is too deep. */
export function textOfHtml(html: string): string {
	return convert(html, options);
}
