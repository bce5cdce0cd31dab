import {type EmailAddress, type Headers, MailParser} from 'mailparser';
import type {RawField} from './header-section.js';

/** A part of a mail as mailparser keeps it. */
export type Part = {
	readonly contentType: string | false;
	readonly charset?: string;
	readonly children: readonly Part[];
	/** The decoded body of a text part, once it was read to its end. */
	readonly textContent?: string;
};

declare module 'mailparser' {
	/** Members that the types leave out; the version is pinned. */
	interface MailParser {
		/** The root of the mail; false until its header was read. */
		readonly tree: Part | false;
		/** What reads the lines: `node` is the part it stands in, at the end of a whole mail the root. */
		readonly splitter: {readonly node: {readonly root: boolean}; readonly inEpilogue: boolean};
		processHeaders(fields: readonly RawField[]): Headers;
		getAddressesHTML(addresses: readonly EmailAddress[]): string;
		getAddressesText(addresses: readonly EmailAddress[]): string;
	}
}

/** mailparser without what costs time and nobody here asks for. */
export function createMailParser(): MailParser {
	const parser = new MailParser({skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true});
	parser.getAddressesHTML = () => '';
	parser.getAddressesText = () => '';
	return parser;
}
