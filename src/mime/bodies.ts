import type {Part} from './mailparser.js';

/** The part and all those in it, in the order of the mail. */
export function partsOf(part: Part | undefined): Part[] {
	return part === undefined ? [] : [part, ...part.children.flatMap(partsOf)];
}

/** The bodies of the text parts of these types, in the order of the mail. */
export function bodiesOf(root: Part | undefined, types: readonly string[]): string[] {
	return partsOf(root).flatMap(({contentType, textContent}) => {
		return textContent && types.includes(contentType || '') ? [textContent] : [];
	});
}
