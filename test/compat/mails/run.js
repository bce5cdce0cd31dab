/**
 * `npm run test:mails -- <folder>`: sends every file below the folder as a mail and compares the message with the results of
 * other parsers. Prints the number of differences, and each difference with all results. Fails if a mail is rejected,
 * changed or cannot be shown. Differences are only reported, since other parsers may be wrong.
 */
import {readdir, readFile} from 'node:fs/promises';
import path from 'node:path';
import {parseArgs} from 'node:util';
import {startTinbox} from '../../../bench/servers/start.js';
import {sender, sendOne, whole} from '../../slow/proof/send-mails.js';
import {attachmentsText, differs, fields, mailboxesText, plain} from './comparison.js';
import {findParsers} from './parsers.js';

/**
 * @typedef {import('./comparison.js').Reading} Reading
 * @typedef {import('./comparison.js').Field} Field
 * @typedef {import('../../../bench/servers/start.js').Tinbox} Tinbox
 */

/** Maximum length of printed values. */
const shownLength = 100;

const {
	positionals: [folder],
} = parseArgs({allowPositionals: true});
if (folder === undefined) {
	throw new Error('Name a folder with mails: npm run test:mails -- <folder>');
}

const files = await mailsIn(folder);
const sources = await Promise.all(files.map(async file => whole(await readFile(file))));
const tinbox = await startTinbox();
const readings = await readAll(tinbox).finally(() => tinbox.stop());
const {parsers, missing} = await findParsers();
for (const reason of missing) {
	console.error(`Skipped: ${reason}`);
}

const names = parsers.map(({name}) => name);
const others = await Promise.all(parsers.map(({read}) => read(sources)));
const mails = files.flatMap((file, index) => {
	const own = readings[index];
	return own ? [{file, own, others: others.map(readings => readings[index])}] : [];
});
printCounts();
printDifferences();
process.exitCode = mails.length < files.length ? 1 : 0;

/**
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
async function mailsIn(folder) {
	const entries = await readdir(folder, {recursive: true, withFileTypes: true});
	return entries
		.filter(entry => entry.isFile() && !entry.name.endsWith('.md'))
		.map(({parentPath, name}) => path.resolve(parentPath, name))
		.sort();
}

/**
 * The message of each mail in tinbox; undefined if it was not stored byte for byte or cannot be shown.
 * @param {Tinbox} tinbox
 */
async function readAll({smtp, to, url, inboxId, key}) {
	const [local, domain] = to.split('@');
	const request = (/** @type {string} */ path) =>
		fetch(`${url}/inboxes/${inboxId}/messages${path}`, {headers: {'x-api-key': key}});
	/** @type {Array<Reading | undefined>} */
	const readings = [];
	for (const [index, mail] of sources.entries()) {
		const isAccepted = await sendOne(smtp, `${local}+${index}@${domain}`, mail);
		const found = await request(`?to=${encodeURIComponent(`+${index}@`)}&limit=1`);
		const [listed] = /** @type {Array<{id: string}>} */ (await found.json());
		const [shown, raw] = await Promise.all([request(`/${listed?.id}`), request(`/${listed?.id}/raw`)]);
		const isStored = isAccepted && shown.ok && mail.equals(Buffer.from(await raw.arrayBuffer()));
		readings.push(isStored ? readingOf(await shown.json()) : undefined);
	}

	return readings;
}

/**
 * @param {any} message
 * @returns {Reading}
 */
function readingOf({subject, from, from_name: name, recipients, date, text, html, attachments}) {
	return {
		subject,
		// Without a From field, the envelope sender is shown.
		from: from === sender ? '' : mailboxesText([{name, address: from}]),
		to: mailboxesText(recipients.to),
		cc: mailboxesText(recipients.cc),
		date: date ?? '',
		text,
		html,
		attachments: attachmentsText(
			attachments.map((/** @type {any} */ {filename, content_type: type, size}) => ({filename, type, size})),
		),
	};
}

/** Prints for each field how many mails differ from each parser, and from all of them. */
function printCounts() {
	console.log(`${files.length} mails, ${files.length - mails.length} refused, changed or not shown\n`);
	const rows = names.map((name, parser) => [
		name,
		mails.filter(({others}) => others[parser] === undefined).length,
		...fields.map(field => mails.filter(({own, others}) => differs(own, others[parser], field)).length),
	]);
	const alone = fields.map(field => mails.filter(mail => isAlone(mail, field)).length);
	for (const [name, ...cells] of [['differs from', 'fails at', ...fields], ...rows, ['all of them', '', ...alone]]) {
		console.log(String(name).padEnd(16) + cells.map(cell => String(cell).padStart(12)).join(''));
	}
}

/** Prints the fields with differences, and all results. */
function printDifferences() {
	for (const mail of mails) {
		const {file, own, others} = mail;
		for (const field of fields.filter(field => others.some(other => differs(own, other, field)))) {
			console.log(`\n${path.relative(folder ?? '', file)}: ${field}${isAlone(mail, field) ? ' (tinbox alone)' : ''}`);
			const results = new Map([[plain(own[field]), {value: own[field], by: ['tinbox']}]]);
			for (const [parser, other] of others.entries()) {
				const value = other?.[field] ?? '(fails)';
				const same = results.get(plain(value)) ?? {value, by: []};
				same.by.push(names[parser] ?? '');
				results.set(plain(value), same);
			}

			for (const {value, by} of results.values()) {
				const shown = JSON.stringify(value);
				const rest = shown.length > shownLength ? `… (${value.length} characters)` : '';
				console.log(`  ${by.join(', ')}: ${shown.slice(0, shownLength)}${rest}`);
			}
		}
	}
}

/**
 * True if all other parsers that can parse the mail have a different result.
 * @param {{own: Reading, others: ReadonlyArray<Reading | undefined>}} mail
 * @param {Field} field
 */
function isAlone({own, others}, field) {
	const able = others.filter(other => other !== undefined);
	return able.length > 0 && able.every(other => differs(own, other, field));
}
