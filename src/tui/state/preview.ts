import type {FullMessageBody} from '../../contract/messages.js';
import {readHtml} from '../../lib/html.js';
import {formatSize} from '../../lib/size.js';
import {showControls} from '../text/controls.js';
import {fitTo} from '../text/fit-to.js';
import {wrap} from '../text/wrap.js';
import type {Preview, Tab} from './state.js';

/** Characters of a long text that are laid out; the rest is for the pager. */
const longestText = 200_000;

/** One thing of a message that can be selected by itself. */
export type Item = {readonly label: string; readonly text: string};

/** The codes and links of a message, in this order. */
export function codesAndLinks({codes, links}: FullMessageBody): readonly Item[] {
	return [
		...codes.map(code => ({label: 'code', text: code})),
		...links.map(({text, url}) => ({label: text || 'link', text: url})),
	];
}

/** Whether a tab holds rows to select, and no text to scroll. */
export function hasItems(tab: Tab): boolean {
	return tab === 'attachments' || tab === 'codes';
}

/** The body of the open tab, fitted to a width. */
export function linesOf({message, source, tab}: Preview, width: number): readonly string[] {
	if (message === undefined) {
		return [];
	}

	switch (tab) {
		case 'text':
			return wrapLong([...message.warnings.map(warning => `! ${warning}`), message.text].join('\n'), width);
		case 'html':
			return wrapLong(
				message.html === '' ? 'This message has no HTML.' : readHtml(message.html).lines.join('\n').trim(),
				width,
			);
		case 'headers':
			return wrapLong(message.headers.map(({name, value}) => `${name}: ${value}`).join('\n'), width);
		case 'attachments':
			return orElse(
				message.attachments.map(attachment => attachmentLine(attachment, width)),
				'No attachments.',
			);
		case 'codes':
			return orElse(
				codesAndLinks(message).map(item => itemLine(item, width)),
				'No codes and no links.',
			);
		case 'source':
			return source === undefined
				? ['Reading the source …']
				: wrapLong(showControls(source.slice(0, longestText)), width);
	}
}

function wrapLong(text: string, width: number): readonly string[] {
	const lines = wrap(text.slice(0, longestText), width);
	return text.length < longestText ? lines : [...lines, '… e shows all of the source.'];
}

function attachmentLine(
	{filename, content_type: type, size}: FullMessageBody['attachments'][number],
	width: number,
): string {
	const facts = `${type}  ${formatSize(size)}`;
	const room = Math.max(8, width - facts.length - 2);
	return fitTo(`${fitTo(filename || '(no name)', room)}  ${facts}`, width);
}

function itemLine({label, text}: Item, width: number): string {
	const room = Math.min(24, Math.floor(width / 3));
	return fitTo(`${fitTo(label, room)}  ${text}`, width);
}

function orElse(lines: readonly string[], sentence: string): readonly string[] {
	return lines.length > 0 ? lines : [sentence];
}
