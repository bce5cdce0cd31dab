import {generalLabels, numberedThings, otherLabels, strongLabels} from './code-labels.js';
import {alternatives, isUnspaced} from './phrases.js';

/** `strong` and `general` announce a one-time code, `other` and `thing` another number. */
export type Label = {
	readonly kind: 'strong' | 'general' | 'other' | 'thing';
	readonly start: number;
	readonly end: number;
};

const labels = {general: generalLabels, strong: strongLabels, thing: numberedThings, other: otherLabels} as const;

const kindOf = new Map(
	Object.entries(labels).flatMap(([kind, list]) => list.map(phrase => [keyOf(phrase), kind as Label['kind']])),
);

const pattern = patternOf(Object.values(labels).flat());

/** All labels in the text, from left to right; where several begin, the longest. */
export function findLabels(text: string): readonly Label[] {
	return [...text.matchAll(pattern)].map(({0: phrase, index}) => ({
		kind: kindOf.get(keyOf(phrase)) ?? 'other',
		start: index,
		end: index + phrase.length,
	}));
}

function keyOf(phrase: string): string {
	return phrase.toLowerCase().replace(/[ ~-]/g, '');
}

function patternOf(list: readonly string[]): RegExp {
	const unspaced = list.filter(isUnspaced);
	const endings = list.filter(phrase => phrase.startsWith('~')).map(phrase => phrase.slice(1));
	const words = list.filter(phrase => !isUnspaced(phrase) && !phrase.startsWith('~'));
	return new RegExp(
		`(?:${alternatives(unspaced)}|(?:(?<![\\p{L}\\p{N}])(?:${alternatives(words)})|${alternatives(endings)})(?![\\p{L}\\p{N}]))`,
		'giu',
	);
}
