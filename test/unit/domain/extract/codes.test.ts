import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {extractCodes} from '../../../../src/domain/extract/codes.js';
import {readHtml} from '../../../../src/domain/extract/html.js';

function codesIn(text: string, subject = ''): readonly string[] {
	return extractCodes({subject, text, html: readHtml('')});
}

function codesInHtml(html: string, subject = ''): readonly string[] {
	return extractCodes({subject, text: '', html: readHtml(html)});
}

describe('a labeled code is found', () => {
	test.each([
		['Your verification code is 482913.', '482913'],
		['Code: 4829', '4829'],
		['Your login code:\n\n123 456\n\nValid for 10 minutes.', '123456'],
		['One-time password: 12-34-56', '123456'],
		['Enter this code to sign in\n\nXK4-P9T', 'XK4-P9T'],
		['Enter this code to sign in\n\nABC-DEF', 'ABC-DEF'],
		['Enter this code to sign in\n\nQWERTZ', 'QWERTZ'],
		['Use 482913 to log in.', '482913'],
		['G-482913 is your Example verification code.', '482913'],
		['The security code for your order is 482913', '482913'],
		['482913 is the passcode for your card ending in 7781', '482913'],
		['Ihr Bestätigungscode lautet 482913', '482913'],
		['Votre code de vérification : 482 913', '482913'],
		['Tu código de verificación es 482913', '482913'],
		['Il codice di verifica è 482913', '482913'],
		['Seu código de verificação é 482913', '482913'],
		['Je verificatiecode is 482913', '482913'],
		['Twój kod weryfikacyjny to 482913', '482913'],
		['Ваш код подтверждения: 482913', '482913'],
		['Doğrulama kodunuz: 482913', '482913'],
		['認証コードは４８２９１３です。', '482913'],
		['您的验证码为482913，请勿泄露。', '482913'],
		['인증번호는 482913입니다.', '482913'],
	])('in %j', (text, code) => {
		expect(codesIn(text)).toEqual([code]);
	});
});

describe('a hidden code', () => {
	const shown = '<p>Your code is 482913.</p>';
	const hiding = (style: string) => `<div style="${style}">Your verification code is 110022.</div>`;

	test.each(['display:none', 'max-height:0;overflow:hidden', 'font-size:0', 'visibility: hidden', 'color:#fff'])(
		'with the style %s ranks after a visible code',
		style => {
			expect(codesInHtml(`${hiding(style)}${shown}`)).toEqual(['482913', '110022']);
			expect(codesInHtml(`${shown}${hiding(style)}`)).toEqual(['482913', '110022']);
		},
	);

	test.each([
		['hidden by a class', `<style>.pre{display:none}</style><p class="pre">Verification code: 110022</p>${shown}`],
		['with a better label than a visible code', `${hiding('display:none')}<p>Use the code 482913 today.</p>`],
		[
			'on the same line as a visible code',
			'<p><i style="display:none">Verification code: 110022.</i> Your code is 482913.</p>',
		],
		['after an unmatched end tag', `<div hidden></p>Verification code: 110022</div>${shown}`],
	])('%s does not rank first', (_, html) => {
		expect(codesInHtml(html)[0]).toBe('482913');
	});

	test('within a visible code does not change that code', () => {
		expect(codesInHtml('<p>Your code is 482<i style="display:none">000</i>913.</p>')[0]).toBe('482913');
	});

	test('is found if there is no visible code, and only once if it is also visible', () => {
		expect(codesInHtml(`${hiding('display:none')}<p>Hello</p>`)).toEqual(['110022']);
		expect(codesInHtml(`${hiding('display:none')}<p>110022</p>`)).toEqual(['110022']);
		expect(codesInHtml(hiding('display:none'), '482913 is your code')).toEqual(['482913', '110022']);
	});
});

describe('a code with the digits of another script is found:', () => {
	test.each(['٤٨٢٩١٣', '۴۸۲۹۱۳', '४८२९१३', '৪৮২৯১৩', '௪௮௨௯௧௩', '๔๘๒๙๑๓', '４８２９１３', '𝟒𝟖𝟐𝟗𝟏𝟑', '𝟺𝟾𝟸𝟿𝟷𝟹'])(
		'%s',
		digits => {
			expect(codesIn(`Code: ${digits}`)).toEqual(['482913']);
			expect(codesInHtml(`<p>Code</p><p>${digits}</p>`)).toEqual(['482913']);
			expect(codesIn('Your sign-in code is below.\n\n482913', `${digits} is your code`)).toEqual(['482913']);
		},
	);
});

describe('a code with lower-case letters is found only after a colon or a verb', () => {
	test.each([
		['Tu código de verificación es: f99b2eb0', ['f99b2eb0']],
		['Enter the following code on the login page: f99b2eb0', ['f99b2eb0']],
		['Bekreftelseskoden din er: f8938230', ['f8938230']],
		['Your verification code is a1b2c3', ['a1b2c3']],
		['Sign in and enter the code for: ubuntu2204', []],
		['Enter the code in the app for: node18', []],
		['Temporary password: Wq7!rT2x', []],
	])('in %j', (text, codes) => {
		expect(codesIn(text)).toEqual(codes);
	});
});

describe('a code of letters only is found if its context announces a code', () => {
	test.each([
		['Your device code is WDJB-MJHT', 'WDJB-MJHT'],
		['Enter the following code on the device: WDJB-MJHT', 'WDJB-MJHT'],
		['Enter WDJB-MJHT to sign in.', 'WDJB-MJHT'],
		['Go to the login page and enter this code:\n\nABCD-EFGH', 'ABCD-EFGH'],
		['Ihr Anmeldecode: WDJB-MJHT', 'WDJB-MJHT'],
	])('in %j', (text, code) => {
		expect(codesIn(text)).toEqual([code]);
	});

	test.each([
		'Meet us in BADEN-BADEN',
		'READ-ONLY access was granted',
		'Your code is in REVIEW-MODE',
		'SIGN-IN: BLUE-GRAY theme',
	])('but not in %j', text => {
		expect(codesIn(text)).toEqual([]);
	});
});

describe('a request to enter a code is enough context, except in a shop', () => {
	test.each([
		['Enter this code to continue: 4829', ['4829']],
		['Enter the following code in the app:\n\nK7XQ2M', ['K7XQ2M']],
		['Here are 20% off. Enter this code: K7XQ2M', []],
		['Enter the code in the shop: 4829', []],
	])('in %j', (text, codes) => {
		expect(codesIn(text)).toEqual(codes);
	});
});

describe('a suffix or punctuation is not part of the code', () => {
	test.each(["Güvenlik kodunuz 482913'tür.", 'Vahvistuskoodisi on 482913:n jälkeen', '验证码：482913，10分钟内有效'])(
		'in %j',
		text => {
			expect(codesIn(text)).toEqual(['482913']);
		},
	);
});

test.each([
	['کد تایید شما: ZLmXVrVM729gjjEjشما همچنین می‌توانید کلیک کنید', 'ZLmXVrVM729gjjEj'],
	['您的验证码：s3uBEQ3fjoLmG8VG您可以点击以下链接', 's3uBEQ3fjoLmG8VG'],
])('a long code directly followed by a word is found in %j', (text, code) => {
	expect(codesIn(text)).toEqual([code]);
});

describe('no code is found in', () => {
	test.each([
		'Your order 482913 of 14.04.2025 was shipped.',
		'Order number: 482913',
		'Total: 1204.50 EUR',
		'Verification code expires at 16:30 on 2025-04-14.',
		'Your security code was sent to +1 415 555 0132.',
		'Your security code was sent to the number ending in 4455.',
		'We sent you a code. Copyright 2025',
		'Use promo code SPRING25 at checkout.',
		'ZIP code: 94107',
		'Error code 50012',
		'This code is valid for 1440 minutes.',
		'Your code is at https://shop.example/482913 from 10.20.30.4000',
		'Tracking number 00340434161094042557',
		'CONFIRM YOUR EMAIL\n\nWELCOME',
	])('%j', text => {
		expect(codesIn(text)).toEqual([]);
	});

	test('the styles and comments of HTML', () => {
		const html = '<style>.code{color:#482913}</style><p style="color:#482913">Your code</p><!-- code: 482913 -->';
		expect(codesInHtml(html)).toEqual([]);
	});
});

test('a code with one character per table cell is joined', () => {
	const cells = [...'482913'].map(digit => `<td><b>${digit}</b></td>`).join('\n');
	expect(codesInHtml(`<p>Your sign-in code</p><table><tr>${cells}</tr></table>`)).toEqual(['482913']);
});

test.each([[['482', '913']], [['48', '29', '13']]])(
	'a code with one group of digits per table cell is joined: %j',
	groups => {
		const cells = groups.map(group => `<td>${group}</td>`).join('');
		expect(codesInHtml(`<p>Your sign-in code</p><table><tr>${cells}</tr></table>`)).toEqual(['482913']);
		expect(codesInHtml(`<p>Your sign-in code</p><table><tr>${cells}${cells}</tr></table>`)).toEqual([]);
	},
);

test('a code in its own element is found with a label in the subject', () => {
	expect(codesInHtml('<p>Hello Jo,</p><h1>482913</h1>', 'Your sign-in code')).toEqual(['482913']);
});

describe('a number with another label is not a code, even if other lines and the subject announce one', () => {
	const subject = 'Your verification code';

	test.each([
		'<table><tr><td>Shoe size</td><td>482913</td></tr></table>',
		'<table><tr><td><p>Zählerstand</p></td><td><p>482913</p></td></tr></table>',
		'<table><tr><td>Passcode lock</td><td>1</td><td>4900</td></tr></table>',
		'<table><tr><td>IBAN</td><td>none yet</td></tr></table>',
		'<dl><dt>Fleet</dt><dd>482913</dd></dl>',
		'<p>Frobnication:</p><p>482913</p>',
		'<p>Invoice</p><p>482913</p><p>Pay with your banking PIN.</p>',
		'<p>We sent it to the phone number ending in</p><p>4829</p>',
		'<p>Example Ltd<br>12 Harbour St<br>94104<br>Springfield</p>',
	])('in %s', html => {
		expect(codesInHtml(html, subject)).toEqual([]);
		expect(codesInHtml(`<p>Your login code</p><h1>771204</h1>${html}`, subject)).toEqual(['771204']);
		expect(codesInHtml(`${html}<p>Your login code</p><h1>771204</h1>`, subject)).toEqual(['771204']);
	});

	test.each([
		'<h1>Acme</h1><p>482913</p>',
		'<table><tr><td><img src="/logo.png"></td><td>482913</td></tr></table>',
		'<table><tr><td>Acme</td></tr><tr><td>482913</td></tr></table>',
		'<table><tr><td>Your code</td><td>482913</td></tr></table>',
		'<table><tr><th>Code</th><th>Valid</th></tr><tr><td>482913</td><td>today</td></tr></table>',
		'<table><tr><td>4</td><td>8</td><td>2</td><td>9</td><td>1</td><td>3</td></tr></table>',
		'<table><tr><td><p>482</p></td><td><p>913</p></td></tr></table>',
	])('but a number without another label is one in %s', html => {
		expect(codesInHtml(html, subject)).toEqual(['482913']);
	});
});

test('the code with the better label ranks first', () => {
	expect(codesIn('Code: 55512\n\nVerification code: 482913')).toEqual(['482913', '55512']);
});

test('the plain text is searched if the HTML has no code', () => {
	expect(extractCodes({subject: '', text: 'Code: 4829', html: readHtml('<p>See the text.</p>')})).toEqual(['4829']);
});

test('codes after the first 512 KiB of a body are ignored', () => {
	const label = 'Verification code: 482913\n';
	expect(codesIn(`${'x\n'.repeat(100_000)}${label}`)).toEqual(['482913']);
	expect(codesIn(`${'x\n'.repeat(300_000)}${label}`)).toEqual([]);
});

test('the codes of any mail are unique and have 4 to 32 letters, digits and separators', () => {
	const pieces = fc.constantFrom(
		'code',
		': ',
		'12',
		'3456',
		'AB-CD',
		' ',
		'-',
		'\n',
		'<td>',
		'</td>',
		'验证码',
		'é',
		'&#49;',
	);
	const body = fc.oneof(
		fc.string({unit: 'grapheme'}),
		fc.array(pieces, {maxLength: 40}).map(parts => parts.join('')),
	);
	fc.assert(
		fc.property(body, body, body, (subject, text, html) => {
			const codes = extractCodes({subject, text, html: readHtml(html)});
			expect(new Set(codes).size).toBe(codes.length);
			for (const code of codes) {
				expect(code).toMatch(/^[A-Za-z\d._/+-]{4,32}$/);
			}
		}),
	);
});
