import {readdir, readFile} from 'node:fs/promises';
import {simpleParser} from 'mailparser';
import {type Html, readHtml} from '../../../../src/domain/extract/html.js';

const folder = new URL('../../../fixtures/codes/', import.meta.url);

export type Expectation = {
	/** Expected codes, best first; empty for a mail without a code. */
	readonly codes: readonly string[];
	/** Expected first link; null for a mail without a link. */
	readonly link: string | null;
};

export type Mail = Expectation & {
	readonly name: string;
	readonly subject: string;
	readonly text: string;
	readonly html: Html;
};

/** Reads the mails of test/fixtures/codes. Each `x.eml` has its expectation in `x.json`. */
export async function readCorpus(): Promise<readonly Mail[]> {
	const files = (await readdir(folder)).filter(file => file.endsWith('.eml'));
	return Promise.all(
		files.sort().map(async file => {
			const name = file.slice(0, -'.eml'.length);
			const expectation: Expectation = JSON.parse(await readFile(new URL(`${name}.json`, folder), 'utf8'));
			const {subject = '', text = '', html} = await simpleParser(await readFile(new URL(file, folder)));
			return {name, subject, text, html: readHtml(html || ''), ...expectation};
		}),
	);
}
