import {commentsIn} from './comments.js';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Hours that zones with a name are ahead of UTC (RFC 5322, section 4.3). Others say as little as `-0000`. */
const zones: Readonly<Record<string, number>> = {
	edt: -4,
	est: -5,
	cdt: -5,
	cst: -6,
	mdt: -6,
	mst: -7,
	pdt: -7,
	pst: -8,
};

const minuteMs = 60_000;

/** Characters in which a date stands, its comments included. */
const maxLength = 1000;

/** Day of the week, day, month, year, hour, minute, second and zone, which some leave out, also as they were written before the year 2000. */
const dateTime =
	/^(?:[a-z]+\s*,)?\s*(\d{1,2})\s+([a-z]{3})\s+(\d{2,4})\s+(\d{1,2})\s*:\s*(\d\d)(?:\s*:\s*(\d\d))?\s*(?:([+-])([01]\d|2[0-3])([0-5]\d)|(?![ap]m$)([a-z]{0,5}))$/i;

/**
 * The moment that a `Date` field says (RFC 5322, sections 3.3 and 4.3), in ISO 8601 and UTC; undefined when it says none, or
 * one that is in no calendar.
 */
export function readDate(text: string): string | undefined {
	const match = dateTime.exec(withoutComments(text.slice(0, maxLength)).trim());
	if (!match) {
		return undefined;
	}

	const [, day, monthName = '', digits = '', hour, minute, second = 0, sign, hours, minutes, zone = ''] = match;
	const [year, month] = [fullYear(digits), months.indexOf(monthName.toLowerCase())];
	const midnight = new Date(Date.UTC(year, month, Number(day)));
	const isDay =
		midnight.getUTCFullYear() === year && midnight.getUTCMonth() === month && midnight.getUTCDate() === Number(day);
	if (!isDay || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) {
		return undefined;
	}

	const ahead = sign
		? Number(`${sign}1`) * (60 * Number(hours) + Number(minutes))
		: 60 * (zones[zone.toLowerCase()] ?? 0);
	const minuteOfDay = 60 * Number(hour) + Number(minute) - ahead;
	return new Date(midnight.getTime() + minuteOfDay * minuteMs + Number(second) * 1000).toISOString();
}

function withoutComments(text: string): string {
	let kept = '';
	let end = 0;
	for (const [from, to] of commentsIn(text)) {
		kept += `${text.slice(end, from)} `;
		end = to;
	}

	return kept + text.slice(end);
}

/** Of years that are written with two or three digits (RFC 5322, section 4.3). */
function fullYear(digits: string): number {
	const year = Number(digits);
	return digits.length === 4 ? year : year + (digits.length === 2 && year < 50 ? 2000 : 1900);
}
