import type {FullMessageBody} from '../../contract/messages.js';
import {dropInvisible, sanitizeLine, showControls} from '../../lib/text/sanitize.js';
import {maxHtml, seenText} from './seen-text.js';

/** What can be read of a message: what a person reads, or what there is. */
export const views = ['text', 'html', 'headers'] as const;

export type View = (typeof views)[number];

/** A body to be shown a part at a time. */
export type ReadableBody = {
	readonly text: string;
	/** What the readers of the HTML do not see; `''` for nothing. */
	readonly hidden: string;
	/** What a reader has to know of it, in sentences of our own. */
	readonly notes: readonly string[];
};

/** Characters of a body that are read here. */
const maxBody = 1024 * 1024;

/** A view of a message, safe to print. It does what it says in any mail; what it gives is text from anybody all the same. */
export function bodyOf(message: FullMessageBody, view: View): ReadableBody {
	const body = view === 'headers' ? headersOf(message) : view === 'html' ? sourceOf(message) : seenBody(message);
	if (body.text.length <= maxBody) {
		return body;
	}

	return {
		...body,
		text: body.text.slice(0, maxBody),
		notes: [...body.notes, `Only the first ${maxBody} characters can be read here.`],
	};
}

function headersOf({headers}: FullMessageBody): ReadableBody {
	return {text: headers.map(({name, value}) => sanitizeLine(`${name}: ${value}`)).join('\n'), hidden: '', notes: []};
}

function sourceOf({html}: FullMessageBody): ReadableBody {
	const notes = html === '' ? ['The message has no HTML.'] : [];
	return {text: showControls(html.slice(0, maxBody + 1)), hidden: '', notes};
}

/** The text of the HTML where there is HTML, which is what mail programs show. */
function seenBody({html, text}: FullMessageBody): ReadableBody {
	const seen = html === '' ? {shown: text.slice(0, maxBody + 1), hidden: ''} : seenText(html);
	const shown = dropInvisible(seen.shown);
	const hidden = dropInvisible(seen.hidden);
	const notes = [
		hidden.text !== '' && 'The HTML contains text that people do not see. It is listed under "Hidden text".',
		shown.dropped > 0 && `Removed ${shown.dropped} invisible characters from the text.`,
		hidden.dropped > 0 && `Removed ${hidden.dropped} invisible characters from the hidden text.`,
		html.length > maxHtml && `Only the first ${maxHtml} characters of the HTML were analyzed.`,
	];
	return {text: shown.text.trimEnd(), hidden: hidden.text, notes: notes.filter(note => note !== false)};
}
