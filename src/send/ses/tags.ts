import {SesProblem} from './problems.js';
import type {SesTag} from './schemas.js';

const maxLength = 256;

/** The tags of a mail. */
export function readMessageTags(tags: readonly SesTag[]): Array<{readonly name: string; readonly value: string}> {
	return tags.map(({Name: name, Value: value}) => {
		checkTag('name', name);
		checkTag('value', value);
		return {name, value};
	});
}

/** The default tags with those of an entry, which come in the place of others with their name. */
export function replaceTags(defaults: readonly SesTag[], replacements: readonly SesTag[]): SesTag[] {
	const replaced = new Set(replacements.map(({Name}) => Name));
	return [...defaults.filter(({Name}) => !replaced.has(Name)), ...replacements];
}

function checkTag(what: 'name' | 'value', text: string): void {
	if (!/^[\w-]+$/.test(text)) {
		throw new SesProblem(
			'invalid',
			`Invalid message tag ${what} <${text.slice(0, maxLength)}>: only alphanumeric ASCII characters, '_', and '-' are allowed.`,
		);
	}

	if (text.length > maxLength) {
		throw new SesProblem('invalid', `Message tag ${what} must not be longer than ${maxLength} characters.`);
	}
}
