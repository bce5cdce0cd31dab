const unitMs: Record<string, number> = {ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000};

/**
 * Reads a duration such as `30`, `30s`, `500ms`, `2m`, `1.5h` or `7d` as milliseconds.
 * A bare number counts seconds. Anything else is `undefined`: the caller knows which field to name.
 */
export function parseDuration(text: string): number | undefined {
	const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
	const factor = unitMs[unit];
	return amount === undefined || factor === undefined ? undefined : Math.round(Number(amount) * factor);
}

/** Writes milliseconds the way `parseDuration` reads them, in the largest unit that stays whole. */
export function formatDuration(ms: number): string {
	const fitting = (['d', 'h', 'm', 's'] as const).find(unit => ms > 0 && ms % (unitMs[unit] ?? 1) === 0);
	return fitting === undefined ? `${ms}ms` : `${ms / (unitMs[fitting] ?? 1)}${fitting}`;
}
