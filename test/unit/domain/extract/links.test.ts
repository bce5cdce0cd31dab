import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {readHtml} from '../../../../src/domain/extract/html.js';
import {extractLinks} from '../../../../src/domain/extract/links.js';
import {linksLike} from '../../../../src/domain/mail/filter.js';
import {parsePattern} from '../../../../src/domain/mail/pattern.js';

function urlsIn(text: string): readonly string[] {
	return extractLinks({text, html: readHtml('')}).map(({url}) => url);
}

function linksInHtml(html: string): ReturnType<typeof extractLinks> {
	return extractLinks({text: '', html: readHtml(html)});
}

describe('a URL in plain text is found without the surrounding punctuation in', () => {
	test.each([
		['See https://a.example/x.', 'https://a.example/x'],
		['(see https://a.example/x)', 'https://a.example/x'],
		['See https://a.example/x_(y), please', 'https://a.example/x_(y)'],
		['"https://a.example/x?y=1&z=2"!', 'https://a.example/x?y=1&z=2'],
		['<https://a.example/x>', 'https://a.example/x'],
		['<https://a.example/long\n  part>', 'https://a.example/longpart'],
		['[Reset](https://a.example/x)', 'https://a.example/x'],
		['[https://a.example/x](https://a.example/x)', 'https://a.example/x'],
		['Reset [https://a.example/x]', 'https://a.example/x'],
		['**https://a.example/x**', 'https://a.example/x'],
		['请点击https://a.example/x完成验证。', 'https://a.example/x'],
		['http://[::1]:3000/x?filter[a]=1', 'http://[::1]:3000/x?filter[a]=1'],
		['http://localhost:3000/#/confirm/abc', 'http://localhost:3000/#/confirm/abc'],
		['https://a.example/bestätigen/7.', 'https://a.example/bestätigen/7'],
		['https://bücher.example/проверка/é', 'https://bücher.example/проверка/é'],
		['(see https://a.example/x_(y))', 'https://a.example/x_(y)'],
		['([https://a.example/x?y[0]=1]).', 'https://a.example/x?y[0]=1'],
		["https://a.example/x'e gidin", 'https://a.example/x'],
	])('%j', (text, url) => {
		expect(urlsIn(text)).toEqual([url]);
	});
});

test('the link to click ranks before orders, the home page, social sites and unsubscribe', () => {
	const links = linksInHtml(`
		<a href="https://a.example/unsubscribe?u=1">Unsubscribe</a>
		<a href="https://a.example/"><img src="https://a.example/logo.png" alt="A"></a>
		<a href="https://www.instagram.com/a">Photos</a>
		<a href="https://a.example/orders">View orders</a>
		<a href="https://a.example/e/81"><b>Confirm</b> your&nbsp;address</a>`);
	expect(links.map(({url}) => url)).toEqual([
		'https://a.example/e/81',
		'https://a.example/orders',
		'https://a.example/',
		'https://www.instagram.com/a',
		'https://a.example/unsubscribe?u=1',
	]);
	expect(links[0]?.text).toBe('Confirm your address');
});

describe('the call to action ranks first:', () => {
	const site = 'https://acme.example';
	const logo = `<a href="${site}/?utm_source=mail4711234"><img src="logo.png" alt="Acme"></a>`;
	const social = '<p><a href="https://github.com/acme/acme">GitHub</a> <a href="https://x.com/acme">X</a></p>';
	const button = (text: string, path: string) =>
		`<p><a style="background:#38f;padding:9px" href="${site}/${path}">${text}</a></p>`;
	test.each([
		[
			'a button with unknown words beside social links',
			`${button('Become emergency contact', 'e/5f0c1d2e3a')}${social}`,
			'e/5f0c1d2e3a',
		],
		['a plain link beside social links', `<p>You can <a href="${site}/e">be a contact</a>.</p>${social}`, 'e'],
		[
			'a button beside a login link',
			`<p>Welcome!</p>${button('Do this next', 'next')}<p><a href="${site}/login">Login page</a></p>`,
			'next',
		],
		[
			'a button beside a link with a known word and a token',
			`${button('Do this next', 'next')}<p><a href="${site}/verify?token=a1b2c3d4e5f6">Verify</a></p>`,
			'next',
		],
		['a button below a logo', `${logo}<h1>Hi</h1>${button('Go', 'go')}`, 'go'],
		[
			'an image as a button',
			`${logo}<p>Hi</p><p><a href="${site}/go"><img src="go.png" alt="Let us go"></a></p>${social}`,
			'go',
		],
		[
			'a link whose URL is also in the text',
			`<p>See the <a href="${site}/news">news</a>.</p><p><a href="${site}/go">Go</a></p><p>Or paste ${site}/go</p>`,
			'go',
		],
		['the first of two buttons', `${button('Yes', 'yes')}${button('No', 'no')}`, 'yes'],
		['a button that accepts', `${button('Decline', 'no')}${button('Accept', 'yes')}`, 'yes'],
		[
			'a link alone on its line',
			`<p>The <a href="${site}/plans">plans</a> changed.</p><p><a href="${site}/go">Go</a></p>`,
			'go',
		],
		[
			'a confirmation page of a social site',
			'<p><a href="https://www.facebook.com/confirm?c=8">Go</a></p>',
			'https://www.facebook.com/confirm?c=8',
		],
		[
			'a link beside a link to report abuse',
			`<p><a href="${site}/misbruik/4711">Misbruik melden</a></p><p><a href="${site}/go">Verder</a></p>`,
			'go',
		],
		[
			'a confirmation beside a login link',
			`<p>Open this to confirm your address:</p><p><a href="${site}/c/1">${site}/c/1</a></p><p><a href="${site}/login">Log in</a></p>`,
			'c/1',
		],
		[
			'a document to sign beside a login link',
			`<a href="${site}/sign/1">Sign document</a> <a href="${site}/login">Log in</a>`,
			'sign/1',
		],
		[
			'a bill to view beside a login link',
			`<p><a href="${site}/bills/1">View bill</a></p><p>Then <a href="${site}/login">log in</a>.</p>`,
			'bills/1',
		],
		[
			'a link with unknown words below a menu',
			`<a href="${site}/shop">Shop</a> <a href="${site}/login">Login</a><p><a href="${site}/e/a1b2c3d4e5f6">That was me</a></p>`,
			'e/a1b2c3d4e5f6',
		],
		[
			'a login link without another action',
			`<p><a href="${site}/login">Log in</a></p><p><a href="${site}/help">Help</a> <a href="${site}/">Acme</a></p>`,
			'login',
		],
		[
			'a link "here" in a sentence with a known word',
			`<p>Click <a href="${site}/r/1">here</a> to choose a new password.</p>
			<p>See <a href="${site}/questions/reset-password">about passwords</a> and <a href="${site}/plans">plans</a>.</p>`,
			'r/1',
		],
		[
			'a Japanese confirmation',
			`<p><a href="${site}/v/1">登録を完了する</a></p><p><a href="${site}/login">ログイン</a></p>`,
			'v/1',
		],
		[
			'a Swedish confirmation',
			`<p><a href="${site}/login">Logga in</a></p><p><a href="${site}/v/1">Bekräfta</a></p>`,
			'v/1',
		],
		[
			'a button about support',
			`${button('Renew support', 'support/renew')}<p><a href="${site}/login">Log in</a></p>`,
			'support/renew',
		],
		[
			'a plain link beside a button for preferences',
			`${button('Update preferences', 'mail')}<p><a href="${site}/go">Go</a></p>`,
			'go',
		],
		[
			'a link beside an app store',
			`<p><a href="${site}/ios">App Store</a> <a href="${site}/go">Continua</a></p>`,
			'go',
		],
	])('%s', (_, html, path) => {
		expect(linksInHtml(html)[0]?.url).toBe(path.startsWith('https:') ? path : `${site}/${path}`);
	});
});

test('entities in a URL are decoded', () => {
	expect(linksInHtml('<a href="https://a.example/?a=1&amp;b=2&#38;c=3">Go</a>')[0]?.url).toBe(
		'https://a.example/?a=1&b=2&c=3',
	);
});

test('images, style sheets and URLs other than HTTP are not links', () => {
	const html = `<link rel="stylesheet" href="https://a.example/s.css"><img src="https://a.example/o.gif?u=1">
		<style>@import url(https://a.example/t)</style><a href="mailto:jo@a.example">Mail</a><a href="javascript:alert(1)">X</a>
		<a href="/relative">Y</a><a href="https://">Z</a>`;
	expect(linksInHtml(html)).toEqual([]);
});

describe('a link is a valid URL without control characters', () => {
	test.each([
		['https://a.example/x\x1b[201~rm%20-rf%20~', 'https://a.example/x%1B[201~rm%20-rf%20~'],
		['https://a.example/x&#27;[201~&#13;', 'https://a.example/x%1B[201~'],
		['https://a.example/\x9b201~\x9d0;title\x9c', 'https://a.example/%C2%9B201~%C2%9D0;title%C2%9C'],
		['https://a.example/\u202e\u2028gpj.exe', 'https://a.example/%E2%80%AE%E2%80%A8gpj.exe'],
		['https://a.example/\0\x07\x7f', 'https://a.example/%00%07%7F'],
		['https://a.example/a\u200bb\u{e0041}', 'https://a.example/a%E2%80%8Bb%F3%A0%81%81'],
		['https://bücher.example/ä?ö=日', 'https://bücher.example/ä?ö=日'],
	])('%j', (href, url) => {
		expect(linksInHtml(`<a href="${href}">Go</a>`).map(link => link.url)).toEqual([url]);
		expect(new URL(url).href).toBe(new URL(href.replaceAll('&#27;', '\x1b').replaceAll('&#13;', '')).href);
	});

	test('for any mail', () => {
		const piece = fc.oneof(
			fc.constantFrom(
				'https://a.example/',
				'<a href="https://a.example/',
				'">',
				'</a>',
				' ',
				'\x1b[201~',
				'\x9b',
				'\r',
				'\u202e',
			),
			fc.string({unit: 'binary', maxLength: 3}),
		);
		fc.assert(
			fc.property(fc.array(piece, {maxLength: 12}), pieces => {
				const html = `<a href="https://a.example/${pieces.join('')}">\x1b]0;t\x07${pieces.join('')}</a>`;
				for (const {url, text} of [...linksInHtml(html), ...extractLinks({text: html, html: readHtml('')})]) {
					expect(url).toMatch(/^https?:\/\/[^\s\p{Cc}\p{Cf}]+$/u);
					expect(text).not.toMatch(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
				}
			}),
		);
	});
});

test('a linked image without other text gives the link its alternative text', () => {
	expect(linksInHtml('<a href="https://a.example/v/1"><img src="b.png" alt="Verify now"></a>')).toEqual([
		{url: 'https://a.example/v/1', text: 'Verify now'},
	]);
});

test('a repeated URL is one link with the most informative text', () => {
	const link = '<a href="https://a.example/v/1">';
	expect(linksInHtml(`${link}https://a.example/v/1</a><p>${link}Verify</a></p> https://a.example/v/1`)).toEqual([
		{url: 'https://a.example/v/1', text: 'Verify'},
	]);
});

test('the text of a link in plain text is the words before it', () => {
	const text = 'Reset Password: https://a.example/r/1\n\nOr open your profile:\n\nhttps://a.example/profile\n';
	expect(extractLinks({text, html: readHtml('')})).toEqual([
		{url: 'https://a.example/r/1', text: 'Reset Password'},
		{url: 'https://a.example/profile', text: 'Or open your profile'},
	]);
});

describe('the words before a URL in plain text determine its rank in', () => {
	const site = 'https://acme.example';
	test.each([
		[`Please confirm your address:\n${site}/c/1\n\nLog in: ${site}/login`, 'c/1'],
		[`Click here to verify: ${site}/v\nOr log in here: ${site}/login`, 'v'],
		[`Download your report:\n${site}/d\nLog in to see older ones:\n${site}/login`, 'd'],
		[`Your bill: ${site}/bills/1\nYour account: ${site}/account/login`, 'bills/1'],
		[`Your present: ${site}/g\nJoin our club: ${site}/join`, 'g'],
		[`To complete your registration at the Harbour Forum open\n${site}/c\nIf not, go to\n${site}/e`, 'c'],
	])('%j', (text, path) => {
		expect(urlsIn(text)[0]).toBe(`${site}/${path}`);
	});
});

test('a URL in the text of the HTML is found, and the plain text is searched only if the HTML has no URL', () => {
	expect(linksInHtml('<p>Copy https://a.example/v/1</p>')[0]?.url).toBe('https://a.example/v/1');
	expect(extractLinks({text: 'https://a.example/v/1', html: readHtml('<p>Verify</p>')})[0]?.url).toBe(
		'https://a.example/v/1',
	);
});

test('linksLike matches the URL or the text of a link', () => {
	const links = linksInHtml('<a href="https://a.example/x">Verify</a><a href="https://a.example/reset/1">Go on</a>');
	const urls = (pattern: string) => linksLike(links, parsePattern(pattern)).map(({url}) => url);
	expect(urls('/reset/')).toEqual(['https://a.example/reset/1']);
	expect(urls('go ON')).toEqual(['https://a.example/reset/1']);
	expect(urls('a.example')).toHaveLength(2);
	expect(urls('absent')).toEqual([]);
});

test('the links of any mail are unique absolute HTTP URLs', () => {
	const pieces = fc.constantFrom(
		'<a href="',
		'">',
		'</a>',
		'https://a.example/',
		'http://',
		'?x=',
		'&amp;',
		' ',
		'\n',
		'<',
		')',
		'é',
	);
	const body = fc.oneof(
		fc.string({unit: 'grapheme'}),
		fc.array(pieces, {maxLength: 40}).map(parts => parts.join('')),
	);
	fc.assert(
		fc.property(body, body, (text, html) => {
			const urls = extractLinks({text, html: readHtml(html)}).map(({url}) => url);
			expect(new Set(urls).size).toBe(urls.length);
			for (const url of urls) {
				expect(['http:', 'https:']).toContain(new URL(url).protocol);
			}
		}),
	);
});
