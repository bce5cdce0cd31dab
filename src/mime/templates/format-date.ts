const monthNames = 'January February March April May June July August September October November December'.split(' ');
const dayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Numbers up to here are seconds, above it milliseconds. */
const maxSeconds = 100_000_000_000;

/**
 * A time, in seconds or milliseconds or as ISO 8601 writes it, by a format as SendGrid's `formatDate` takes it, at a place of
 * that offset, such as `-0800`. What is no time stays as it is.
 */
export function formatDate(time: unknown, format: string, offset: string): string {
	const ms = readTime(time);
	if (Number.isNaN(ms)) {
		return String(time ?? '');
	}

	const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
	const minutesAway = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
	const date = new Date(ms + minutesAway * 60_000);
	const two = (value: number) => String(value).padStart(2, '0');
	const year = String(date.getUTCFullYear());
	const [month, day, hour] = [date.getUTCMonth(), date.getUTCDate(), date.getUTCHours()];
	const ofHalfDay = hour % 12 === 0 ? 12 : hour % 12;
	const parts: Readonly<Record<string, string>> = {
		YYYY: year,
		YY: year.slice(-2),
		MMMM: monthNames[month] ?? '',
		MMM: monthNames[month]?.slice(0, 3) ?? '',
		MM: two(month + 1),
		M: String(month + 1),
		DD: two(day),
		D: String(day),
		dddd: dayNames[date.getUTCDay()] ?? '',
		ddd: dayNames[date.getUTCDay()]?.slice(0, 3) ?? '',
		hh: two(ofHalfDay),
		h: String(ofHalfDay),
		HH: two(hour),
		H: String(hour),
		mm: two(date.getUTCMinutes()),
		m: String(date.getUTCMinutes()),
		ss: two(date.getUTCSeconds()),
		s: String(date.getUTCSeconds()),
		A: hour < 12 ? 'AM' : 'PM',
		ZZ: `${sign}${hours}${minutes}`,
		Z: `${sign}${hours}:${minutes}`,
	};
	return format.replaceAll(/YYYY|YY|M{1,4}|DD?|d{3,4}|hh?|HH?|mm?|ss?|A|ZZ?/g, token => parts[token] ?? token);
}

function readTime(time: unknown): number {
	const number = typeof time === 'string' && /^\d+$/.test(time) ? Number(time) : time;
	const ms = typeof number === 'number' ? (number < maxSeconds ? number * 1000 : number) : Date.parse(String(number));
	// Beyond what a date can be there is none.
	return new Date(ms).getTime();
}
