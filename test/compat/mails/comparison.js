/**
 * @typedef {object} Reading the result of a parser for a mail
 * @property {string} subject
 * @property {string} from names and addresses
 * @property {string} to
 * @property {string} cc
 * @property {string} date ISO 8601; empty if there is none
 * @property {string} text contents of plain text parts
 * @property {string} html
 * @property {string} attachments name, type and size of each
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
 * True if two results differ in a field. Only letters, digits and symbols are compared, since parsers treat line ends
 * differently. If only one of them has a text beside the same HTML, it is generated and ignored.
 * @param {Reading} one
 * @param {Reading | undefined} other undefined if the parser failed, which is not a difference
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
