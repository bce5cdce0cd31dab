import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {textOfHtml} from '../../../../src/lib/text/html-text.js';
import {withTimeLimit} from '../../../helpers/time-limit.js';

describe('a table becomes a line per row with separated cells:', () => {
	const order = 'Order  5512\nTotal  $49.00';
	test.each([
		[
			'table without white space',
			'<table><tr><td>Order</td><td>5512</td></tr><tr><td>Total</td><td>$49.00</td></tr></table>',
			order,
		],
		[
			'table with white space',
			'<table>\n <tr>\n  <th>Order</th>\n  <td> 5512 </td>\n </tr>\n <tr><td>Total</td><td>$49.00</td></tr></table>',
			order,
		],
		['table without end tags', '<table><tr><td>Order<td>5512<tr><td>Total<td>$49.00</table>', order],
		[
			'table with blocks in cells',
			'<table><tr><td><div>Order</div></td><td><div>5512</div></td></tr><tr><td>Total<td>$49.00</table>',
			order,
		],
		[
			'table with tables in cells',
			'<table><tr><td><table><tr><td>Order</table><td><table><tr><td>5512</table></tr></table>Total',
			'Order  5512\n\nTotal',
		],
		[
			'table with empty cells',
			'<table><tr><td></td><td>Order</td><td>&nbsp;</td><td>5512</td><td></td></tr><tr><td>Total<td><td>$49.00</table>',
			order,
		],
		[
			'table with links',
			'<table><tr><td><a href="https://a.test/5512">Order</a><td>5512</table>',
			'Order [https://a.test/5512]  5512',
		],
		['cells of one character', '<table><tr><td>4</td><td>8</td><td>2</td></tr></table>', '4  8  2'],
	])('%s', (_, html, text) => {
		expect(textOfHtml(html)).toBe(text);
	});
});

describe('a layout table leaves no trace in the text:', () => {
	test.each([
		[
			'nested tables',
			'<table><tr><td><table><tr><td><h1>Hi</h1><p>One</p><p>Two<br>lines</p></table></table>',
			'Hi\n\nOne\n\nTwo\nlines',
		],
		[
			'columns with several lines',
			'<table><tr><td><p>One</p><p>Two</p></td><td><p>Three</p><p>Four</p></td></tr></table>',
			'One\n\nTwo\n\nThree\n\nFour',
		],
		[
			'columns with long texts',
			`<table><tr><td>${'long '.repeat(20)}</td><td>text</td></tr></table>`,
			`${'long '.repeat(20).trim()}\ntext`,
		],
		[
			'a single column',
			'<table><tr><td>One</td></tr><tr><td>&nbsp;</td></tr><tr><td>Two</td></tr></table>',
			'One\nTwo',
		],
	])('%s', (_, html, text) => {
		expect(textOfHtml(html)).toBe(text);
	});
});

describe('HTML is converted to plain text:', () => {
	test.each([
		[
			'<p>One</p><hr><hr><blockquote>Two<p>Three</p></blockquote>Four',
			'One\n\n--------------------\n\n> Two\n>\n> Three\n\nFour',
		],
		['<ul><li>a</li><li>b<ul><li>c</ul></ul><ol start="3"><li>d<li>e</ol>', ' * a\n * b\n    * c\n\n 3. d\n 4. e'],
		['<p>a<br>b<br><br>c</p><div>d<br></div><div>e</div>', 'a\nb\n\nc\n\nd\ne'],
		['<p>a</p>\n\n<pre>if x:\n    y\n\n\nz</pre>', 'a\n\nif x:\n    y\n\nz'],
		['Hello&nbsp;Wor<b>l</b>d, <i>you</i>\n there', 'Hello World, you there'],
		['<title>T</title><style>p {}</style><script>x()</script>a<!-- b -->b<template>c</template>d', 'ab\nd'],
		['before<html><head></head><body>inside</body></html>after', 'before\ninside\nafter'],
	])('%s', (html, text) => {
		expect(textOfHtml(html)).toBe(text);
	});
});

describe('the URL of a link follows its text:', () => {
	test.each([
		['<a href="https://a.test/?x=1&amp;y">Go</a>.', 'Go [https://a.test/?x=1&y].'],
		['<a href="https://a.test"><table><tr><td>Go</td></tr></table></a>on', 'Go [https://a.test]\n\non'],
		['<a href="https://a.test"><img src="b.png" alt="Verify now"></a>', 'Verify now [https://a.test]'],
		['<img src="logo.png" alt="Acme"><a href="https://a.test"><img src="b.png"></a>', '[https://a.test]'],
		['<a href="https://a.test/x"> https://a.test/<wbr>x </a>', 'https://a.test/x'],
		['<a href="mailto:jo@a.test">jo@a.test</a> <a href="#top">Top</a> <a>None</a>', 'jo@a.test Top None'],
		['<a href="https://a.test">One<a href="https://b.test">Two', 'One [https://a.test]Two [https://b.test]'],
	])('%s', (html, text) => {
		expect(textOfHtml(html)).toBe(text);
	});
});

describe('filler characters after a preview text are removed:', () => {
	const fillers = [
		'&zwnj;&nbsp;',
		'&#847; &zwnj; ',
		'&#8199;&#65279;',
		'&nbsp;',
		'&#8203;',
		'&shy;&#847;',
		'\u2007\u200d',
		'\u200c\u200c',
	];
	test.each(fillers)('%s', filler => {
		const html = `<div style="display:none">Your receipt ${filler.repeat(50)}</div><div>${filler.repeat(50)}</div><p>Hello</p>`;
		expect(textOfHtml(html)).toBe('Your receipt\n\nHello');
	});

	test('joiners that change the shape of characters remain', () => {
		expect(textOfHtml('<p>می\u200cخواهم 👩\u200d💻 क्\u200dष</p>')).toBe('می\u200cخواهم 👩\u200d💻 क्\u200dष');
	});
});

test.each([
	...['<br>x', '<hr>x', '<td>1</td>', '<table><tr><td>1', '<a href=u>x<p></p></a>', '<a href=u> </a>', '<ul><li>x'],
	...['<blockquote>x<br>', '<a href=', '&zwnj;', ' ', '<', '<pre>\n', '<div></b>', '<a href=u><img alt=x>'],
])('HTML that repeats %j takes linear time and yields at most five times its length', unit => {
	const html = unit.repeat(Math.ceil((256 * 1024) / unit.length));
	expect(withTimeLimit(() => textOfHtml(html)).length).toBeLessThanOrEqual(5 * html.length);
});

test('the text of any HTML contains all its words in order', () => {
	const tags = 'p div table tr td th a b ul ol li blockquote br hr pre h1 img span'.split(' ');
	const piece = fc.oneof(
		fc.constantFrom(...tags.flatMap(tag => [`<${tag}>`, `</${tag}>`, `<${tag} href="https://a.test">`])),
		fc.constantFrom(' ', '\n', '&nbsp;', '\u200c', '\u034f'),
		fc.stringMatching(/^[k-n]{1,5}$/),
	);
	fc.assert(
		fc.property(fc.array(piece, {maxLength: 60}), pieces => {
			const text = textOfHtml(pieces.join(''));
			const words = pieces.filter(one => /^[k-n]+$/.test(one)).join('');
			expect(text.replaceAll('[https://a.test]', '').replaceAll(/[^k-n]/g, '')).toBe(words);
			expect(text).not.toMatch(/[^\S\n]$|\n{3}/);
		}),
	);
});

describe('line breaks follow the display style of elements:', () => {
	test.each([
		[
			'display:block',
			'<p>Your number:<strong style="display:block">4711</strong>Keep it.</p>',
			'Your number:\n4711\nKeep it.',
		],
		[
			'inline elements in display:flex',
			'<p>A<span style="DISPLAY : flex"><span>b</span><span>c</span></span>d',
			'A\nbc\nd',
		],
		['display:inline-block', '<p>A<span style="display:inline-block">b</span>c', 'Abc'],
		[
			'a link with display:block',
			'<p>A<a href="https://a.test/" style="display:block">b</a>c',
			'A\nb [https://a.test/]\nc',
		],
		['an image with display:block, which stays inline', '<p>A<img style="display:block">b', 'A b'],
		['ruby annotations', '<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字</p>', '漢(かん)字'],
		['time and data elements', '<p>At <time>10:00</time> and <data value="1">one</data>.', 'At 10:00 and one.'],
	])('%s', (_, html, text) => {
		expect(textOfHtml(html)).toBe(text);
	});
});

test('an image button is replaced by its alternative text', () => {
	expect(
		textOfHtml('<form>Bill 4711<input type="IMAGE" alt="Pay now" src="b.png"><input type="text" alt="x"></form>'),
	).toBe('Bill 4711 Pay now');
});

test('a list item at the start of a table cell has its bullet', () => {
	expect(textOfHtml('<table><tr><td>Items<td><ul><li>one<li>two</ul></table>')).toBe('Items  * one\n * two');
});

test.each([
	['line ends', '<p>x\n'],
	['characters outside of ASCII', '<p>\u096a\n'],
])('HTML of very many short lines with %s costs hardly more CPU time than one without', (_, line) => {
	const ratios = [1, 2, 3, 4].map(() => cpuTimeOf(line) / cpuTimeOf('<p>xy'));
	expect(Math.min(...ratios)).toBeLessThan(1.6);
});

/** CPU time to convert one million characters of repeated HTML. Other processes do not affect it. */
function cpuTimeOf(line: string): number {
	const html = line.repeat(1_000_000 / line.length);
	const before = process.cpuUsage();
	textOfHtml(html);
	const {user, system} = process.cpuUsage(before);
	return user + system;
}
