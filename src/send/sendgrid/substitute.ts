/** Replaces tags, which are texts of any kind. */
type Substitute = (text: string) => string;

/**
 * What SendGrid puts in the place of substitution tags: their values, in these of names of sections those, and once again
 * values, which sections may name.
 */
export function substituteTags(
	substitutions: Readonly<Record<string, string>> = {},
	sections: Readonly<Record<string, string>> = {},
): Substitute {
	const values = replacer(substitutions);
	const blocks = replacer(sections);
	return text => values(blocks(values(text)));
}

/**
 * Backwards by the alphabet: a tag comes before those that it begins with, and next to others that begin as it does, whose
 * common beginning the pattern then looks for once.
 */
function replacer(replacements: Readonly<Record<string, string>>): Substitute {
	const tags = Object.keys(replacements)
		.filter(tag => tag !== '')
		.sort((one, other) => (one < other ? 1 : -1));
	if (tags.length === 0) {
		return text => text;
	}

	const pattern = new RegExp(tags.map(tag => tag.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
	return text => text.replace(pattern, tag => replacements[tag] ?? tag);
}
