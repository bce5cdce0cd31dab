import {expect, test} from 'vitest';
import {extractCodes} from '../../../../src/domain/extract/codes.js';
import {extractLinks} from '../../../../src/domain/extract/links.js';
import {type Mail, readCorpus} from './corpus.js';

const mails = await readCorpus();

/** Found: how many answers were given. Wanted: how many there are. Right: how many answers are wanted ones. */
type Tally = {readonly found: number; readonly wanted: number; readonly right: number};

function tally(wanted: (mail: Mail) => readonly string[], found: (mail: Mail) => readonly string[]): Tally {
	const count = (answers: (mail: Mail) => readonly string[]) => mails.flatMap(answers).length;
	const right = (mail: Mail) => found(mail).filter(answer => wanted(mail).includes(answer));
	return {found: count(found), wanted: count(wanted), right: count(right)};
}

function report(name: string, {found, wanted, right}: Tally): {precision: number; recall: number} {
	const [precision, recall] = [right / found, right / wanted];
	const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
	console.log(
		`${name} in ${mails.length} mails: precision ${percent(precision)} (${right}/${found}), recall ${percent(recall)} (${right}/${wanted})`,
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

test('the link to click comes first with a precision and a recall of at least 97 percent', () => {
	const {precision, recall} = report(
		'Links',
		tally(({link}) => (link === null ? [] : [link]), firstLink),
	);
	expect(precision).toBeGreaterThanOrEqual(0.97);
	expect(recall).toBeGreaterThanOrEqual(0.97);
});
