const units = ['', 'K', 'M', 'G'];

/** Reads a size in bytes such as `1000`, `512K`, `25M` or `25MiB`; a unit is 1024 of the one below. Anything else is `undefined`. */
export function parseSize(text: string): number | undefined {
	const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?$/i.exec(text.trim()) ?? [];
	return amount === undefined ? undefined : Math.round(Number(amount) * 1024 ** units.indexOf(unit.toUpperCase()));
}

/** Writes a size for people, such as `312 B`, `1.4 KiB` or `25 MiB`. */
export function formatSize(bytes: number): string {
	const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
	const amount = bytes / 1024 ** power;
	return `${amount < 10 && power > 0 ? Number(amount.toFixed(1)) : Math.round(amount)} ${units[power]}${power > 0 ? 'iB' : 'B'}`;
}
