import {readHtml} from '../../lib/html.js';
import {normalizeSpace, readText} from '../../lib/text.js';
import {type Candidate, findCandidates} from './code-candidates.js';
import {enough, scoreOf} from './code-score.js';

/** Candidates of one body that are judged; a mail with more is a list of numbers and not about one. */
const mostCandidates = 500;

/** How far behind the best candidate another one may be. */
const tolerance = 2;

/**
 * The one-time codes of a mail, best first; empty when there is none. A code has 4 to 10 letters and digits and a
 * label in one of some twenty languages near it. Its value is what a person types: spaces are left out, and so are
 * dashes between digits (`12-34-56` is `123456`); dashes in a code with letters are part of it (`XK4-P9T`).
 * Only the first 512 KiB of each body count.
 */
export function extractCodes(mail: {subject: string; text: string; html: string}): readonly string[] {
	const subject = normalizeSpace(mail.subject.slice(0, 1000));
	const found = codesOf([[subject], joinCells(readHtml(mail.html).lines)], subject);
	return found.length > 0 ? found : codesOf([readText(mail.text)], subject);
}

function codesOf(bodies: readonly (readonly string[])[], subject: string): readonly string[] {
	const scores = new Map<string, number>();
	for (const lines of bodies) {
		for (const {candidate, index} of candidatesOf(lines)) {
			const score = scoreOf(candidate, {lines, index, subject});
			scores.set(candidate.value, Math.max(score, scores.get(candidate.value) ?? score));
		}
	}

	const ranked = [...scores].filter(([, score]) => score >= enough).sort(([, one], [, other]) => other - one);
	const best = ranked[0]?.[1] ?? 0;
	return ranked.filter(([, score]) => score >= best - tolerance).map(([code]) => code);
}

/** The first candidates of a body, found as they are asked for. */
function* candidatesOf(lines: readonly string[]): Generator<{candidate: Candidate; index: number}> {
	let left = mostCandidates;
	for (const [index, line] of lines.entries()) {
		for (const candidate of findCandidates(line)) {
			if (left === 0) {
				return;
			}

			left -= 1;
			yield {candidate, index};
		}
	}
}

/** Puts a code back together that is laid out with one character per table cell. */
function joinCells(lines: readonly string[]): readonly string[] {
	const joined: string[] = [];
	let cells = false;
	for (const line of lines) {
		const isCell = /^[A-Za-z\d]$/.test(line);
		if (isCell && cells) {
			joined.push(`${joined.pop()} ${line}`);
		} else if (!cells || line !== '') {
			joined.push(line);
		}

		cells = isCell || (cells && line === '');
	}

	return joined;
}
