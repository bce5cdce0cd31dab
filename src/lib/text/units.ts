/** Milliseconds by unit, largest first. */
const unitMs: Readonly<Record<string, number>> = {d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1};

/** A duration: each unit at most once, in this order. */
const duration = new RegExp(
	`^${Object.keys(unitMs)
		.map(unit => `(?:(\\d+(?:\\.\\d+)?)${unit})?`)
		.join('')}$`,
);

/** Longest duration: ten years. Longer ones are of no use, and dates cannot represent every number. */
export const longestMs = 10 * 365 * 86_400_000;

/**
 * Parses a duration such as `30`, `30s`, `500ms`, `2m`, `1.5h`, `7d` or `1m30s` into milliseconds. A bare number is in
 * seconds. Undefined for any other text.
 */
export function parseDuration(text: string): number | undefined {
	const written = text.trim().replace(/^[\d.]+$/, '$&s');
	const [, ...amounts] = duration.exec(written) ?? [];
	if (written === '' || amounts.length === 0) {
		return undefined;
	}

	const factors = Object.values(unitMs);
	return Math.round(amounts.reduce((sum, amount = '0', index) => sum + Number(amount) * (factors[index] ?? 0), 0));
}

/** Formats milliseconds for `parseDuration`, in the largest unit that divides them. */
export function formatDuration(ms: number): string {
	const fitting = (['d', 'h', 'm', 's'] as const).find(unit => ms > 0 && ms % (unitMs[unit] ?? 1) === 0);
	return fitting === undefined ? `${ms}ms` : `${ms / (unitMs[fitting] ?? 1)}${fitting}`;
}

const sizeUnits = ['', 'K', 'M', 'G'];

/** Parses a size in bytes such as `1000`, `512K`, `25M` or `25MiB`, in steps of 1024. Undefined for any other text. */
export function parseSize(text: string): number | undefined {
	const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?$/i.exec(text.trim()) ?? [];
	return amount === undefined ? undefined : Math.round(Number(amount) * 1024 ** sizeUnits.indexOf(unit.toUpperCase()));
}

/** Formats a size in bytes for people, such as `312 B`, `1.4 KiB` or `25 MiB`. */
export function formatSize(bytes: number): string {
	const power = Math.min(sizeUnits.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
	const amount = bytes / 1024 ** power;
	const rounded = amount < 10 && power > 0 ? Number(amount.toFixed(1)) : Math.round(amount);
	return `${rounded} ${sizeUnits[power]}${power > 0 ? 'iB' : 'B'}`;
}

const units = [
	['d', 86_400],
	['h', 3600],
	['min', 60],
] as const;

/** Age of a time for people: "just now", "5 min ago", or the date after 30 days. */
export function ago(time: string, now: Date): string {
	const seconds = (now.getTime() - Date.parse(time)) / 1000;
	if (!(seconds < 30 * 86_400)) {
		return time.slice(0, 10);
	}

	const [unit, length] = units.find(([, length]) => seconds >= length) ?? ['s', 1];
	return seconds < 5 ? 'just now' : `${Math.floor(seconds / length)} ${unit} ago`;
}
