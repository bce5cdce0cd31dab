import type {Candidate} from './code-candidates.js';
import {accessWords, failureWords, shoppingWords} from './code-context.js';
import {type Closeness, type Place, reach, standsAlone, tieOf} from './code-ties.js';
import {beginningsOf} from './phrases.js';

const points = {
	label: {strong: 3, general: 2},
	closeness: {adjacent: 3, touching: 3, sentence: 2, lineBefore: 3, linesBefore: 1, lineAfter: 1, subject: 1},
	shape: {digits: 1, mixed: 1, letters: -1},
	sixDigits: 1,
	alone: 1,
	lower: -1,
	date: -3,
	labelledDate: -1,
	shopping: -4,
	failure: -4,
	noAccess: -3,
};

/** The score from which a candidate is taken for a code. */
export const enough = 4;

const shopping = beginningsOf(shoppingWords);
const access = beginningsOf(accessWords);
const failure = beginningsOf(failureWords);

/** How likely the candidate is a one-time code, from about 0 to 9; minus infinity when no label says so. */
export function scoreOf(candidate: Candidate, place: Place): number {
	const {shape, value, lower, dateLike} = candidate;
	const tie = tieOf(candidate, place);
	const alone = standsAlone(candidate, place);
	if (!tie || (!alone && couldBeWord(candidate, tie.closeness))) {
		return Number.NEGATIVE_INFINITY;
	}

	const isLabelled = tie.closeness === 'adjacent' || tie.closeness === 'touching';
	return (
		points.label[tie.label] +
		points.closeness[tie.closeness] +
		points.shape[shape] +
		(shape === 'digits' && value.length === 6 ? points.sixDigits : 0) +
		(alone ? points.alone : 0) +
		(lower ? points.lower : 0) +
		(dateLike ? (isLabelled ? points.labelledDate : points.date) : 0) +
		(tie.label === 'general' ? contextScore(candidate, tie.closeness, place) : 0)
	);
}

/** Whether the candidate, in the midst of others, may just be the next word of a sentence. */
function couldBeWord({shape, lower}: Candidate, closeness: Closeness): boolean {
	return closeness !== 'adjacent' && (shape === 'letters' || (lower && closeness !== 'touching'));
}

/** What the words around a candidate say against it when its label could be that of something else. */
function contextScore(candidate: Candidate, closeness: Closeness, place: Place): number {
	const {shape, start, end} = candidate;
	const line = place.lines[place.index] ?? '';
	const before = line.slice(Math.max(0, start - reach), start);
	const near = standsAlone(candidate, place) ? linesAround(place, 2) : before + line.slice(end, end + reach);
	const isAboutAccess = access.test(`${place.subject} ${linesAround(place, 6)}`);
	return (
		(shape !== 'digits' && shopping.test(near) ? points.shopping : 0) +
		(failure.test(before) ? points.failure : 0) +
		(closeness === 'adjacent' || isAboutAccess ? 0 : points.noAccess)
	);
}

function linesAround({lines, index}: Place, distance: number): string {
	const around = lines.slice(Math.max(0, index - distance), index + distance + 1);
	return around.map(line => line.slice(0, 2 * reach)).join(' ');
}
