/** The parsers that tinbox is compared with. Missing npm packages are installed into a cache folder. */
import {access, mkdir, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';
import {simpleParser} from 'mailparser';
import {attachmentsText, mailboxesText} from './comparison.js';

/**
 * @typedef {import('./comparison.js').Reading} Reading
 *
 * @typedef {object} OtherParser
 * @property {string} name
 * @property {(mails: readonly Buffer[]) => Promise<ReadonlyArray<Reading | undefined>>} read undefined for mails that it cannot parse
 */

/**
 * Available parsers, and the reasons why others are missing.
 * @returns {Promise<{parsers: OtherParser[], missing: string[]}>}
 */
export async function findParsers() {
	const found = await Promise.allSettled([mailparserAlone(), postalMime(), pythonEmail()]);
	return {
		parsers: found.flatMap(result => (result.status === 'fulfilled' ? [result.value] : [])),
		missing: found.flatMap(result => (result.status === 'rejected' ? [String(result.reason.message)] : [])),
	};
}

/** @returns {Promise<OtherParser>} */
async function mailparserAlone() {
	const options = {skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true};
	return {
		name: 'mailparser',
		read: each(async mail => {
			const {subject, from, to, cc, date, text, html, attachments} = await simpleParser(mail, options);
			/** @param {typeof to} header */
			const mailboxes = header => mailboxesText([header ?? []].flat().flatMap(({value}) => value.flatMap(membersOf)));
			return {
				subject: subject ?? '',
				from: mailboxes(from),
				to: mailboxes(to),
				cc: mailboxes(cc),
				date: isoDate(date),
				text: text ?? '',
				html: html || '',
				attachments: attachmentsText(
					attachments.map(({filename, contentType, size}) => ({filename, type: contentType, size})),
				),
			};
		}),
	};
}

/** @returns {Promise<OtherParser>} */
async function postalMime() {
	const {default: PostalMime} = await import(await install('postal-mime', '4.0.0'));
	return {
		name: 'postal-mime',
		read: each(async mail => {
			const {subject, from, to, cc, date, text, html, attachments} = await PostalMime.parse(mail, {
				rfc822Attachments: true,
				attachmentEncoding: 'arraybuffer',
			});
			/** @param {readonly any[] | undefined} mailboxes */
			const all = (mailboxes = []) => mailboxesText(mailboxes.flatMap(membersOf));
			return {
				subject: subject ?? '',
				from: all(from && [from]),
				to: all(to),
				cc: all(cc),
				date: isoDate(new Date(date ?? '')),
				text: text ?? '',
				html: html ?? '',
				attachments: attachmentsText(
					attachments.map((/** @type {any} */ {filename, mimeType: type, content}) => ({
						filename,
						type,
						size: content.byteLength,
					})),
				),
			};
		}),
	};
}

/** @returns {Promise<OtherParser>} */
async function pythonEmail() {
	const script = fileURLToPath(new URL('python_email.py', import.meta.url));
	await execa('python3', ['-c', 'import email']);
	return {
		name: "Python's email",
		async read(mails) {
			const input = mails.map(mail => mail.toString('base64')).join('\n');
			const {stdout} = await execa('python3', [script], {input, maxBuffer: 2 ** 30});
			return stdout.split('\n').map(line => {
				const reading = JSON.parse(line);
				return reading === null ? undefined : {...reading, date: isoDate(new Date(reading.date))};
			});
		},
	};
}

/**
 * @param {(mail: Buffer) => Promise<Reading>} readOne
 * @returns {OtherParser['read']}
 */
function each(readOne) {
	return async mails => {
		const readings = [];
		for (const mail of mails) {
			readings.push(await readOne(mail).catch(() => undefined));
		}

		return readings;
	};
}

/**
 * The mailboxes of a group (RFC 5322, section 3.4), or the mailbox itself.
 * @param {{group?: any[] | undefined}} mailbox
 * @returns {any[]}
 */
function membersOf(mailbox) {
	return mailbox.group ? mailbox.group.flatMap(membersOf) : [mailbox];
}

/** @param {Date | undefined} date */
function isoDate(date) {
	return date === undefined || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/**
 * Installs a package if necessary and returns the file to import.
 * @param {string} name
 * @param {string} version
 */
async function install(name, version) {
	const folder = path.join(tmpdir(), 'tinbox-test-mails', `${name}-${version}`);
	const manifest = path.join(folder, 'package.json');
	const find = () => createRequire(manifest).resolve(name);
	const isInstalled = await access(path.join(folder, 'node_modules', name)).then(
		() => true,
		() => false,
	);
	if (!isInstalled) {
		await mkdir(folder, {recursive: true});
		await writeFile(manifest, JSON.stringify({private: true}));
		await execa('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`], {cwd: folder});
	}

	return find();
}
