import {describeSession} from '../../../contract/descriptions.js';
import type {FullMessageBody} from '../../../contract/messages.js';
import type {DeliveryBody} from '../../../contract/webhooks.js';
import {fitTo, wrap} from '../../../lib/text/columns.js';
import {textOfHtml} from '../../../lib/text/html-text.js';
import {maxScannedLength} from '../../../lib/text/links.js';
import {sanitizeLine, showControls} from '../../../lib/text/sanitize.js';
import {formatSize} from '../../../lib/text/units.js';
import {escapePattern} from '../../core/filter.js';
import {factRows} from '../../core/format.js';
import type {Tab} from '../../core/keys.js';
import {deliveryFacts, responseWord} from '../../core/webhooks.js';
import {readingHeight} from './layout.js';
import type {PreviewState, WatchState} from './state.js';

/** Maximum number of characters that are wrapped; the pager shows the rest. */
const maxText = 200_000;

/** Code or link of a message. */
type Item = {readonly kind: 'code' | 'link'; readonly label: string; readonly text: string};

/** Codes and links of a message, in this order. */
export function codesAndLinks({codes, links}: FullMessageBody): readonly Item[] {
	return [
		...codes.map(code => ({kind: 'code', label: 'code', text: code}) as const),
		...links.map(({text, url}) => ({kind: 'link', label: text || 'link', text: url}) as const),
	];
}

/** True if a tab holds rows to select, false for text to scroll. */
export function hasItems(tab: Tab): boolean {
	return tab === 'attachments' || tab === 'codes';
}

/** Lines of the open tab, at most `width` columns wide. */
export function previewLines({message, source, tab}: PreviewState, width: number): readonly string[] {
	if (message === undefined) {
		return [];
	}

	const {attachments, headers, html, session, text, warnings} = message;
	switch (tab) {
		case 'text':
			return wrapLong([...warnings.map(warning => `! ${warning}`), text].join('\n'), width);
		case 'html':
			return wrapLong(html === '' ? 'This message has no HTML.' : textOfHtml(html.slice(0, maxScannedLength)), width);
		case 'headers':
			return wrapLong(
				[
					...(session ? [`Session: ${describeSession(session)}`, ''] : []),
					...headers.map(({name, value}) => `${name}: ${value}`),
				]
					.map(sanitizeLine)
					.join('\n'),
				width,
			);
		case 'attachments':
			return attachments.length === 0 ? ['No attachments.'] : attachments.map(one => attachmentLine(one, width));
		case 'codes': {
			const items = codesAndLinks(message);
			return items.length === 0 ? ['No codes or links.'] : items.map(item => itemLine(item, width));
		}
		case 'source':
			return source === undefined ? ['Loading the source …'] : wrapLong(showControls(source.slice(0, maxText)), width);
	}
}

function wrapLong(text: string, width: number): readonly string[] {
	const lines = wrap(text.slice(0, maxText), width);
	return text.length < maxText ? lines : [...lines, '… Press e to see the whole source.'];
}

function attachmentLine(attachment: FullMessageBody['attachments'][number], width: number): string {
	const {filename, content_type: type, size} = attachment;
	const facts = `${type}  ${formatSize(size)}`;
	const room = Math.max(8, width - facts.length - 2);
	return fitTo(`${fitTo(filename || '(no name)', room)}  ${facts}`, width);
}

function itemLine({label, text}: Item, width: number): string {
	const room = Math.min(24, Math.floor(width / 3));
	return fitTo(`${fitTo(label, room)}  ${text}`, width);
}

/** Lines of a delivery, at most `width` columns wide. */
export function deliveryLines(delivery: DeliveryBody | undefined, width: number): readonly string[] {
	if (delivery === undefined) {
		return [];
	}

	const {response_body: answer, payload} = delivery;
	return wrap(
		[
			...factRows(deliveryFacts(delivery)).map(([label, text]) => label.padEnd(10) + text),
			'',
			responseWord(delivery),
			answer ?? '',
			'',
			'Payload',
			JSON.stringify(payload, null, 2),
		].join('\n'),
		width,
	);
}

/** Searches the open tab, starting at a line. An empty text ends the search and returns to that line. */
export function searchMessage(state: WatchState, search: string, from: number): Partial<WatchState> {
	const start = hasItems(state.preview.tab) ? {item: from} : {top: from};
	const preview = {...state.preview, ...start, search, match: undefined};
	const line = search === '' ? undefined : findLine(preview, from, 1);
	return {preview: line === undefined ? preview : withLine(preview, line, state)};
}

/** Goes to the next or previous match, cyclically. */
export function toMatch(state: WatchState, by: 1 | -1): Partial<WatchState> {
	const {preview} = state;
	const {search, tab, item, match, top} = preview;
	if (search === '') {
		return {notice: {text: 'Press / to search first.', tone: 'info'}};
	}

	const at = hasItems(tab) ? item : match;
	const line = findLine(preview, at === undefined ? top : at + by, by);
	return line === undefined
		? {notice: {text: `No match for "${search}" in this tab.`, tone: 'info'}}
		: {preview: withLine(preview, line, state)};
}

/** Indexes of the lines in which a match starts. It may continue in the next line, because lines are wrapped. */
export function linesWith(search: string, lines: readonly string[]): readonly number[] {
	const characters = Array.from(search, character => (character === ' ' ? '[ \\n]' : escapePattern(character)));
	const matches = lines.join('\n').matchAll(new RegExp(characters.join('\\n?'), 'giu'));
	const found = new Set<number>();
	let line = 0;
	let end = lines[0]?.length ?? 0;
	for (const {index} of matches) {
		while (index > end) {
			line++;
			end += 1 + (lines[line]?.length ?? 0);
		}

		found.add(line);
	}

	return [...found];
}

function findLine({lines, search}: PreviewState, from: number, by: 1 | -1): number | undefined {
	const found = linesWith(search, lines);
	return by === 1
		? (found.find(line => line >= from) ?? found[0])
		: (found.findLast(line => line <= from) ?? found.at(-1));
}

/** Marks or selects a line and scrolls it into view. */
function withLine(preview: PreviewState, line: number, state: WatchState): PreviewState {
	if (hasItems(preview.tab)) {
		return {...preview, item: line};
	}

	const height = readingHeight(state);
	const isInView = line >= preview.top && line < preview.top + height;
	const middle = Math.max(0, Math.min(line - Math.floor(height / 2), preview.lines.length - height));
	return {...preview, match: line, top: isInView ? preview.top : middle};
}
