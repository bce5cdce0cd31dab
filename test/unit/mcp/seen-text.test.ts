import {describe, expect, test} from 'vitest';
import {maxHtml, seenText} from '../../../src/mcp/message-text.js';
import {withTimeLimit} from '../../helpers/time-limit.js';

/** Markup that hides `secret` and shows `plain`. */
const hidingMarkup: Readonly<Record<string, string>> = {
	'display:none': '<div style="display:none">secret</div>',
	'an important display:none': '<p style="Display : None !important; color: red">secret</p>',
	'an escaped display:none': '<p style="displ\\61y: none">secret</p>',
	'a comment in display:none': '<p style="display:/**/none">secret</p>',
	'the attribute hidden': '<div hidden>secret</div>',
	'visibility:hidden': '<span style="visibility:hidden">secret</span>',
	'opacity:0': '<span style="opacity:0.0">secret</span>',
	'opacity:.01': '<span style="opacity:.01">secret</span>',
	'font-size:0': '<span style="font-size:0px">secret</span>',
	'font-size:1px': '<span style="font-size:1px">secret</span>',
	'the shorthand font': '<span style="font:0/0 a">secret</span>',
	'max-height:0': '<div style="max-height:0; overflow:hidden">secret</div>',
	'a position off the page': '<div style="position:absolute; left:-9999px">secret</div>',
	'a negative indent': '<p style="text-indent:-9999px">secret</p>',
	'white on white': '<p style="color:#fff">secret</p>',
	'nearly white on white': '<font color="#fefefe">secret</font>',
	'black on black': '<td bgcolor="black"><b style="color:rgb(0, 0, 0)">secret</b></td>',
	'a transparent color': '<p style="color:rgba(0,0,0,0)">secret</p>',
	'a class': '<style>.pre, .x { display: none }</style><p class="a pre">secret</p>',
	'an id in a rule for all screens': '<style>@media screen { #pre { opacity: 0 } }</style><p id="pre">secret</p>',
	'a later style sheet': '<p class="pre">secret</p><style>p.pre{visibility:hidden}</style>',
	'a block that an inline end tag seems to close': '<b><div style="display:none"></b>secret</div>',
	'a block with unmatched end tags': '<div hidden></p></span>secret</div>',
};

describe('text hidden by', () => {
	test.each(Object.entries(hidingMarkup))('%s is returned as hidden', (_, html) => {
		expect(seenText(`${html}<div>plain</div>`)).toEqual({shown: 'plain', hidden: 'secret'});
	});
});

/** Markup that shows `plain` although it resembles hidden text. */
const visibleMarkup: Readonly<Record<string, string>> = {
	'a white label on a button': '<table><tr><td bgcolor="#1f55c8"><a style="color:#fff">plain</a></td></tr></table>',
	'a white color over an image': '<div style="background:url(x.png)"><p style="color:white">plain</p></div>',
	'a font size inside a container with font-size:0':
		'<table style="font-size:0"><tr><td style="font-size:14px">plain</td></tr></table>',
	'half opacity': '<p style="opacity:0.5">plain</p>',
	'a font size below one em': '<p style="font-size:0.8em">plain</p>',
	'a font size of ten pixels': '<p style="font-size:10px">plain</p>',
	'a height without overflow': '<p style="height:0">plain</p>',
	'a rule for small screens': '<style>@media (max-width:600px){.wide{display:none}}</style><p class="wide">plain</p>',
	'a hidden image before it': '<img style="display:none"><p>plain</p>',
	'a closed hidden element before it': '<section><div hidden></section><p>plain</p>',
	'a property that ends in display': '<p style="-x-display:none">plain</p>',
};

describe('visible text with', () => {
	test.each(Object.entries(visibleMarkup))('%s is returned as shown', (_, html) => {
		expect(seenText(html)).toEqual({shown: 'plain', hidden: ''});
	});
});

test('a hidden link is returned as hidden with its URL', () => {
	const {shown, hidden} = seenText('<p>Hello</p><a hidden href="https://evil.test">click</a>');
	expect(shown).toBe('Hello');
	expect(hidden).toContain('https://evil.test');
});

test.each([
	['nested elements', '<b style="color:red;display:x">'],
	['unclosed elements', '<div></b>'],
	['style attributes', `<i style="${'a:b;color:'.repeat(90)}">x`],
	['classes', '<style>.a{display:none}</style><i class="a b c d e f g h">x</i>'],
	['unterminated style sheets', '<style>@media ('],
])('many %s are parsed in linear time', (_, piece) => {
	withTimeLimit(() => seenText(piece.repeat(Math.ceil(maxHtml / piece.length))));
});
