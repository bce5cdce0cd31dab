import {describe, expect, test} from 'vitest';
import {cellBreak, readHtml} from '../../../../src/domain/extract/html.js';

test.each([
	['<a href="u"><div>Confirm</div><div>email</div></a>', 'Confirm email'],
	['<a href="u"><table><tr><td>Confirm<td>email</table></a>', 'Confirm email'],
	['<a href="u">Confirm<br>email</a>', 'Confirm email'],
	['<a href="u">Con<b>firm</b> email</a>', 'Confirm email'],
	['<a href="u"><img alt="Confirm">email</a>', 'Confirm email'],
])('the lines of a link text are separated by spaces: %s', (html, text) => {
	expect(readHtml(html).anchors).toMatchObject([{url: 'u', text}]);
});

describe('a link is recognized as a button', () => {
	test.each([
		['by its color', '<a href="u" style="background: #38f">Go</a>', true],
		['by its border', '<a href="u" style="border: 1px solid #38f">Go</a>', true],
		['by its padding', '<a href="u" style="display:inline-block;padding:12px 20px">Go</a>', true],
		['by its class', '<a href="u" class="link-btn">Go</a>', true],
		['by its role', '<a href="u" role="button">Go</a>', true],
		['by an element in it', '<a href="u"><span style="background-color:#38f">Go</span></a>', true],
		['by a table in it', '<a href="u"><table><tr><td bgcolor="#3388ff">Go</td></tr></table></a>', true],
		['by the table cell that it fills', '<table><tr><td bgcolor="#38f"><a href="u">Go</a></td></tr></table>', true],
		[
			'but not by a cell with other content',
			'<table><tr><td bgcolor="#38f"><p>Hello</p><a href="u">Go</a></table>',
			false,
		],
		[
			'but not by a cell with text beside the link',
			'<table><tr><td bgcolor="#38f">or <a href="u">Go</a></table>',
			false,
		],
		['but not by a white background', '<a href="u" style="background:#FFF;padding:1px">Go</a>', false],
		['but not by an image in it', '<a href="u"><img style="background:#38f" src="b.png"></a>', false],
		[
			'but not by the color of another cell',
			'<table><tr><td bgcolor="#38f"></td><td><a href="u">Go</a></table>',
			false,
		],
	])('%s', (_, html, isButton) => {
		expect(readHtml(html).anchors).toMatchObject([{isButton}]);
	});
});

test('a link without other text on its line is alone', () => {
	const html =
		'<p><a href="a">A</a></p>Or <a href="b">B</a><br><a href="c">C</a> | <a href="d">D</a><p>(<a href="e">E</a>)';
	expect(readHtml(html).anchors.map(({isAlone}) => isAlone)).toEqual([true, false, false, false, true]);
});

test('a linked image above all visible text is a logo', () => {
	const html =
		'<div style="display:none">Preview</div><a href="a"><img alt="Acme"></a><p>Hi</p><a href="b"><img alt="Go"></a>';
	expect(readHtml(html).anchors.map(({isLogo}) => isLogo)).toEqual([true, false]);
});

test('an element with display:block starts and ends a line', () => {
	const html =
		'<p>Your login code:<strong style="display:block"><b>4829</b>13</strong>Do not share it.<a href="u" style="display:block">Go</a>on';
	const {lines, anchors} = readHtml(html);
	expect(lines.filter(line => line !== '')).toEqual(['Your login code:', '482913', 'Do not share it.', 'Go', 'on']);
	expect(anchors).toMatchObject([{text: 'Go', isAlone: true}]);
});

test('an image button is replaced by its alternative text', () => {
	expect(readHtml('<input type="image" alt="Pay now">').lines).toContain('Pay now');
});

test.each([
	['<table><tr><td>One<td>Two<tr><td>Three</table>', ['', 'One', cellBreak, 'Two', '', 'Three', '']],
	['<table><tr><td><p>One</p></td><td><p>Two</p></td></tr></table>', ['', 'One', cellBreak, 'Two', '']],
	['<table><tr><td><img></td><td>Two</td></tr></table>', ['', 'Two', '']],
	['<table><tr><td>One</td><td><table><tr><td>Two</td></tr></table></td></tr></table>', ['', 'One', '', 'Two', '']],
	[
		'<dl><dt>One</dt><dd>Two</dd><dt>Three</dt><dd>Four</dd></dl>',
		['', 'One', cellBreak, 'Two', '', 'Three', cellBreak, 'Four', ''],
	],
])('the cells of a row are kept together: %s', (html, lines) => {
	expect(readHtml(html).lines).toEqual(lines);
});
