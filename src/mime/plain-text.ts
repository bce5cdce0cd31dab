import {textOfHtml} from '../lib/html-text.js';
import type {MimePart} from './parts.js';

/** Characters and tags of HTML that are turned into text for one mail, which takes a fifth of a second at most. */
const maxHtml = 2 * 1024 * 1024;
const maxTags = 100_000;

/** What a mail says in plain words. `isWhole` is false when it has more HTML than is read for that. */
export type PlainText = {readonly text: string; readonly isWhole: boolean};

/** The texts of a mail in their order, those that are HTML as plain text; of alternatives the plain one. */
export function plainTextOf(root: MimePart | undefined): PlainText {
	let room = maxHtml;
	let tags = maxTags;
	let isWhole = true;

	function convert(html: string): string {
		let end = Math.min(html.length, room);
		for (let tag = html.indexOf('<'); tag >= 0 && tag < end; tag = html.indexOf('<', tag + 1)) {
			end = tags === 0 ? tag : end;
			tags = Math.max(0, tags - 1);
		}

		room -= end;
		isWhole &&= end === html.length;
		return textOfHtml(html.slice(0, end));
	}

	function textsOf({contentType, textContent = '', children}: MimePart): string[] {
		if (contentType === 'multipart/alternative' && children.length > 0) {
			const plain = children.filter(child => !hasHtml(child)).flatMap(textsOf);
			return plain.some(isSaying) ? plain : children.filter(hasHtml).flatMap(textsOf);
		}

		const text = contentType === 'text/html' ? convert(textContent) : textContent;
		return [...(text === '' ? [] : [text]), ...children.flatMap(textsOf)];
	}

	const texts = root === undefined ? [] : textsOf(root);
	const text = (texts.some(isSaying) ? texts.filter(isSaying) : texts).join('\n');
	return {text, isWhole};
}

function hasHtml({contentType, textContent, children}: MimePart): boolean {
	return (contentType === 'text/html' && textContent !== undefined) || children.some(hasHtml);
}

function isSaying(text: string): boolean {
	return /\S/.test(text);
}
