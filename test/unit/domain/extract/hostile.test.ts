import {expect, test} from 'vitest';
import {extractCodes} from '../../../../src/domain/extract/codes.js';
import {readHtml} from '../../../../src/domain/extract/html.js';
import {extractLinks} from '../../../../src/domain/extract/links.js';
import {inTime} from '../../../helpers/in-time.js';

/** What takes quadratic time takes minutes for as much. */
const hostileLength = 256 * 1024;

/** How much of a body is looked at. */
const lookedAt = 512 * 1024;

/** Looks for codes and links in a body made of the unit. */
function search(unit: string, length: number) {
	const body = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
	return inTime(() => {
		const mail = {subject: body, text: body, html: readHtml(body)};
		return {codes: extractCodes(mail), links: extractLinks(mail)};
	});
}

test.each([
	'<div>',
	'<div></b>',
	'<',
	'&',
	'1',
	'1 ',
	'12-',
	' ',
	'\n',
	'a@',
	'a.',
	'is ',
	'<a href="',
	'<a href=http://x style="padding:">',
	'padding:background:',
	'<td bgcolor=red><a href=http://x>x</a>',
	'<td>1</td>',
	'a1b2 ',
	'code 1234 ',
	'http://',
	'<http://x ',
	'](',
	'\u0301',
])('a body of nothing but %j is searched in linear time', unit => {
	expect(() => search(unit, hostileLength)).not.toThrow();
});

test('so is one of addresses with thousands of closing brackets', () => {
	expect(() => search(`http://x${')'.repeat(4000)} `, hostileLength)).not.toThrow();
});

test('nothing counts behind the first 512 KiB of a body', () => {
	const news = 'Your code is 135790: https://a.test/confirm';
	const find = (spaces: number) => {
		const text = `${' '.repeat(spaces)}${news}`;
		const mail = {subject: '', text, html: readHtml('')};
		return [...extractCodes(mail), ...extractLinks(mail)].length;
	};
	expect(find(lookedAt - news.length)).toBe(2);
	expect(find(lookedAt)).toBe(0);
	expect(find(64 * 1024 * 1024)).toBe(0);
});
