import {expect, test} from 'vitest';
import {extractCodes} from '../../../../src/domain/extract/codes.js';
import {extractLinks} from '../../../../src/domain/extract/links.js';
import {type Mail, readCorpus} from './corpus.js';

const mails = await readCorpus();

/** Numbers of results, of expected results, and of results that were expected. */
type Tally = {readonly found: number; readonly expected: number; readonly correct: number};

function tally(expected: (mail: Mail) => readonly string[], found: (mail: Mail) => readonly string[]): Tally {
	const count = (answers: (mail: Mail) => readonly string[]) => mails.flatMap(answers).length;
	const correct = (mail: Mail) => found(mail).filter(answer => expected(mail).includes(answer));
	return {found: count(found), expected: count(expected), correct: count(correct)};
}

function report(name: string, {found, expected, correct}: Tally): {precision: number; recall: number} {
	const [precision, recall] = [correct / found, correct / expected];
	const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
	console.log(
		`${name} in ${mails.length} mails: precision ${percent(precision)} (${correct}/${found}), recall ${percent(recall)} (${correct}/${expected})`,
	);
	return {precision, recall};
}

function firstLink(mail: Mail): readonly string[] {
	return extractLinks(mail)
		.slice(0, 1)
		.map(({url}) => url);
}

test('codes are found with a precision and a recall of at least 97 percent', () => {
	const {precision, recall} = report(
		'Codes',
		tally(mail => mail.codes, extractCodes),
	);
	expect(precision).toBeGreaterThanOrEqual(0.97);
	expect(recall).toBeGreaterThanOrEqual(0.97);
});

test('the link to click ranks first with a precision and a recall of at least 97 percent', () => {
	const {precision, recall} = report(
		'Links',
		tally(({link}) => (link === null ? [] : [link]), firstLink),
	);
	expect(precision).toBeGreaterThanOrEqual(0.97);
	expect(recall).toBeGreaterThanOrEqual(0.97);
});
