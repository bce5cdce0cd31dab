/**
 * `npm run test:mails -- <folder>`: sends every file below the folder as a mail, and compares what tinbox says of it with what
 * other parsers say. Prints how often they differ, and each difference with all opinions. Fails when a mail is refused, changed
 * or cannot be shown; a difference is something to look at, since parsers are wrong, too.
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

/** Characters of a value that are shown. */
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
	console.error(`Left out: ${reason}`);
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
 * What tinbox says of each mail; undefined when it was not kept byte for byte, or cannot be shown.
 * @param {Tinbox} tinbox
 */
async function readAll({smtp, to, url, inboxId, key}) {
	const [local, domain] = to.split('@');
	const ask = (/** @type {string} */ path) =>
		fetch(`${url}/inboxes/${inboxId}/messages${path}`, {headers: {'x-api-key': key}});
	/** @type {Array<Reading | undefined>} */
	const readings = [];
	for (const [index, mail] of sources.entries()) {
		const isTaken = await sendOne(smtp, `${local}+${index}@${domain}`, mail);
		const found = await ask(`?to=${encodeURIComponent(`+${index}@`)}&limit=1`);
		const [listed] = /** @type {Array<{id: string}>} */ (await found.json());
		const [shown, raw] = await Promise.all([ask(`/${listed?.id}`), ask(`/${listed?.id}/raw`)]);
		const isKept = isTaken && shown.ok && mail.equals(Buffer.from(await raw.arrayBuffer()));
		readings.push(isKept ? readingOf(await shown.json()) : undefined);
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
		// Where the header names no author, the envelope does.
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

/** In how many mails each field differs from that of each parser, and of all of them. */
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

/** Each field of a mail on which somebody differs, with who says what. */
function printDifferences() {
	for (const mail of mails) {
		const {file, own, others} = mail;
		for (const field of fields.filter(field => others.some(other => differs(own, other, field)))) {
			console.log(`\n${path.relative(folder ?? '', file)}: ${field}${isAlone(mail, field) ? ' (tinbox alone)' : ''}`);
			const said = new Map([[plain(own[field]), {value: own[field], by: ['tinbox']}]]);
			for (const [parser, other] of others.entries()) {
				const value = other?.[field] ?? '(fails)';
				const same = said.get(plain(value)) ?? {value, by: []};
				same.by.push(names[parser] ?? '');
				said.set(plain(value), same);
			}

			for (const {value, by} of said.values()) {
				const shown = JSON.stringify(value);
				const rest = shown.length > shownLength ? `… (${value.length} characters)` : '';
				console.log(`  ${by.join(', ')}: ${shown.slice(0, shownLength)}${rest}`);
			}
		}
	}
}

/**
 * Whether all other parsers that can read the mail say something else.
 * @param {{own: Reading, others: ReadonlyArray<Reading | undefined>}} mail
 * @param {Field} field
 */
function isAlone({own, others}, field) {
	const able = others.filter(other => other !== undefined);
	return able.length > 0 && able.every(other => differs(own, other, field));
}
