import {expect, test} from 'vitest';
import {extractCodes} from '../../../../src/domain/extract/codes.js';
import {readHtml} from '../../../../src/domain/extract/html.js';
import {extractLinks} from '../../../../src/domain/extract/links.js';
import {withTimeLimit} from '../../../helpers/time-limit.js';

/** Length that takes minutes in quadratic time. */
const hostileLength = 256 * 1024;

/** Length of the part of a body that is searched. */
const searchedLength = 512 * 1024;

/** Extracts codes and links from a body that repeats the unit. */
function search(unit: string, length: number) {
	const body = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
	return withTimeLimit(() => {
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
])('a body that repeats %j is searched in linear time', unit => {
	expect(() => search(unit, hostileLength)).not.toThrow();
});

test('a body of URLs with thousands of closing brackets is searched in linear time', () => {
	expect(() => search(`http://x${')'.repeat(4000)} `, hostileLength)).not.toThrow();
});

test('codes and links after the first 512 KiB of a body are ignored', () => {
	const sentence = 'Your code is 135790: https://a.test/confirm';
	const find = (spaces: number) => {
		const text = `${' '.repeat(spaces)}${sentence}`;
		const mail = {subject: '', text, html: readHtml('')};
		return [...extractCodes(mail), ...extractLinks(mail)].length;
	};
	expect(find(searchedLength - sentence.length)).toBe(2);
	expect(find(searchedLength)).toBe(0);
	expect(find(64 * 1024 * 1024)).toBe(0);
});
