/**
 * @typedef {object} Reading what one parser says of a mail
 * @property {string} subject
 * @property {string} from names and addresses, as in all lists of them
 * @property {string} to
 * @property {string} cc
 * @property {string} date ISO 8601, `""` when there is none
 * @property {string} text of its parts of plain text
 * @property {string} html
 * @property {string} attachments name, type and bytes of each
 *
 * @typedef {keyof Reading} Field
 */

/** @type {readonly Field[]} */
export const fields = ['subject', 'from', 'to', 'cc', 'date', 'text', 'html', 'attachments'];

/**
 * @typedef {{name?: string | null | undefined, address?: string | undefined}} Mailbox
 * @param {readonly Mailbox[]} mailboxes
 */
export function mailboxesText(mailboxes) {
	return mailboxes
		.filter(({address}) => address)
		.map(({name, address}) => (name ? `${name} <${address}>` : (address ?? '')))
		.join(', ');
}

/** @param {ReadonlyArray<{filename: string | null | undefined, type: string, size: number}>} attachments */
export function attachmentsText(attachments) {
	return attachments.map(({filename, type, size}) => `${filename || '(no name)'} ${type} ${size}`).join(', ');
}

/**
 * Whether two readings differ in a field. White space and what is no letter and no digit do not count, since each parser has
 * its own way with line ends. A text that only one of them has, beside the same HTML, is made from that.
 * @param {Reading} one
 * @param {Reading | undefined} other undefined of a parser that failed, which is no difference
 * @param {Field} field
 */
export function differs(one, other, field) {
	if (other === undefined) {
		return false;
	}

	const isDerived = field === 'text' && one.html !== '' && (one.text === '' || other.text === '');
	return !isDerived && plain(one[field]) !== plain(other[field]);
}

/** @param {string} value */
export function plain(value) {
	return value
		.normalize('NFC')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\p{S}]+/gu, ' ')
		.trim();
}
