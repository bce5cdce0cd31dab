import {describe, expect, test} from 'vitest';
import {maxHtml, seenText} from '../../../src/mcp/message-text.js';
import {withTimeLimit} from '../../helpers/time-limit.js';

/** Ways to hide `secret` in a mail that shows `plain`. */
const ways: Readonly<Record<string, string>> = {
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
	'no height': '<div style="max-height:0; overflow:hidden">secret</div>',
	'off the page': '<div style="position:absolute; left:-9999px">secret</div>',
	'a negative indent': '<p style="text-indent:-9999px">secret</p>',
	'white on white': '<p style="color:#fff">secret</p>',
	'nearly white on white': '<font color="#fefefe">secret</font>',
	'black on black': '<td bgcolor="black"><b style="color:rgb(0, 0, 0)">secret</b></td>',
	'a transparent color': '<p style="color:rgba(0,0,0,0)">secret</p>',
	'a class': '<style>.pre, .x { display: none }</style><p class="a pre">secret</p>',
	'an id in a rule for all screens': '<style>@media screen { #pre { opacity: 0 } }</style><p id="pre">secret</p>',
	'a style sheet behind it': '<p class="pre">secret</p><style>p.pre{visibility:hidden}</style>',
	'what an end tag of inline text seems to close': '<b><div style="display:none"></b>secret</div>',
	'an end tag of nothing': '<div hidden></p></span>secret</div>',
};

describe('hidden text is told apart:', () => {
	test.each(Object.entries(ways))('%s', (_, html) => {
		expect(seenText(`${html}<div>plain</div>`)).toEqual({shown: 'plain', hidden: 'secret'});
	});
});

/** What is to be seen, although it looks like the above. */
const seen: Readonly<Record<string, string>> = {
	'white on a button': '<table><tr><td bgcolor="#1f55c8"><a style="color:#fff">plain</a></td></tr></table>',
	'white over an image': '<div style="background:url(x.png)"><p style="color:white">plain</p></div>',
	'a size within a container without one':
		'<table style="font-size:0"><tr><td style="font-size:14px">plain</td></tr></table>',
	'half opacity': '<p style="opacity:0.5">plain</p>',
	'less than one em': '<p style="font-size:0.8em">plain</p>',
	'ten pixels': '<p style="font-size:10px">plain</p>',
	'a height without overflow': '<p style="height:0">plain</p>',
	'hidden on small screens': '<style>@media (max-width:600px){.wide{display:none}}</style><p class="wide">plain</p>',
	'behind an image that is hidden': '<img style="display:none"><p>plain</p>',
	'behind an element that was closed': '<section><div hidden></section><p>plain</p>',
	'a property that ends in display': '<p style="-x-display:none">plain</p>',
};

describe('what is seen is shown:', () => {
	test.each(Object.entries(seen))('%s', (_, html) => {
		expect(seenText(html)).toEqual({shown: 'plain', hidden: ''});
	});
});

test('a hidden link is no part of what is shown', () => {
	const {shown, hidden} = seenText('<p>Hello</p><a hidden href="https://evil.test">click</a>');
	expect(shown).toBe('Hello');
	expect(hidden).toContain('https://evil.test');
});

test.each([
	['levels', '<b style="color:red;display:x">'],
	['levels that nothing closes', '<div></b>'],
	['styles', `<i style="${'a:b;color:'.repeat(90)}">x`],
	['classes', '<style>.a{display:none}</style><i class="a b c d e f g h">x</i>'],
	['style sheets that never end', '<style>@media ('],
])('%s do not take long to read', (_, piece) => {
	withTimeLimit(() => seenText(piece.repeat(Math.ceil(maxHtml / piece.length))));
});
