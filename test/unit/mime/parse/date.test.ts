import fc from 'fast-check';
import {expect, test} from 'vitest';
import {readDate} from '../../../../src/mime/parse/summary.js';

test.each([
	['Fri, 20 Nov 2026 21:00:00 +0100', '2026-11-20T20:00:00.000Z'],
	['20 Nov 2026 21:00 -0730', '2026-11-21T04:30:00.000Z'],
	['Fri,20 nov 2026  1:02:03 GMT (Greenwich, UK)', '2026-11-20T01:02:03.000Z'],
	['Fri (day), 20 Nov 2026 21 : 00 : 60 UT', '2026-11-20T21:01:00.000Z'],
	['20 Nov 97 00:00:00 EST', '1997-11-20T05:00:00.000Z'],
	['20 Nov 26 00:00:00 PDT', '2026-11-20T07:00:00.000Z'],
	['29 Feb 2024 00:00:00 Z', '2024-02-29T00:00:00.000Z'],
	['1 Jan 2026 00:00:00 -0000', '2026-01-01T00:00:00.000Z'],
	['1 Jan 2026 00:00:00 +1400', '2025-12-31T10:00:00.000Z'],
	['1 Jan 2026 00:00:00 Z (a (b) c) (\\) d)', '2026-01-01T00:00:00.000Z'],
	['Fri, 7 Dec 2001 07:01:03', '2001-12-07T07:01:03.000Z'],
	// RFC 5322, section 4.3, treats unknown zones as UTC.
	['1 Jan 2026 00:00:00 CET', '2026-01-01T00:00:00.000Z'],
])('the date %s is parsed as %s', (text, date) => {
	expect(readDate(text)).toBe(date);
});

test.each([
	...[
		'',
		'now',
		'1',
		'2026-11-20T21:00:00Z',
		'Fri, 20 Nov 2026',
		'20 Nov 2026 10:00:00 PM',
		'20 Nov 2026 21:00:00 +9959',
		'Fri, 20 Nov 2026 21:00:00 +01',
	],
	...['30 Feb 2026 00:00:00 Z', '0 Jan 2026 00:00:00 Z', '32 Jan 2026 00:00:00 Z', '1 Foo 2026 00:00:00 Z'],
	...['1 Jan 2026 24:00:00 Z', '1 Jan 2026 00:60:00 Z', '1 Jan 2026 00:00:61 Z', '1 Jan 2026 00:00:00 +0060'],
	...['1 Jan 0026 00:00:00 Z', '1 Jan 20260 00:00:00 Z', '<b>1 Jan 2026 00:00:00 Z</b>'],
])('the invalid date "%s" is rejected', text => {
	expect(readDate(text)).toBeUndefined();
});

test('readDate reverses Date.toUTCString', () => {
	const moments = fc.date({min: new Date('1900-01-01'), max: new Date('9999-12-31'), noInvalidDate: true});
	fc.assert(
		fc.property(moments, moment => {
			expect(readDate(moment.toUTCString())).toBe(moment.toISOString().replace(/\.\d+/, '.000'));
		}),
	);
});
