/** Red, green and blue, each from 0 to 255. */
export type Color = readonly [number, number, number];

export const white: Color = [255, 255, 255];

/** How far apart two colors may be in each part and still look the same. */
const sameWithin = 24;

const named: Readonly<Record<string, Color>> = {
	white,
	snow: [255, 250, 250],
	ivory: [255, 255, 240],
	whitesmoke: [245, 245, 245],
	ghostwhite: [248, 248, 255],
	black: [0, 0, 0],
};

/** A color of CSS or of an attribute; `clear` for one that is not seen, undefined for what is not known here. */
export function readColor(text: string): Color | 'clear' | undefined {
	const value = text.trim().toLowerCase();
	const [, hex] = /^#?([\da-f]{3}|[\da-f]{6})$/.exec(value) ?? [];
	if (hex !== undefined) {
		const step = hex.length / 3;
		const part = (index: number) =>
			Number.parseInt(hex.slice(index * step, (index + 1) * step).padEnd(2, hex[index] ?? ''), 16);
		return [part(0), part(1), part(2)];
	}

	const parts = /^rgba?\(\s*(\d+)\s*[, ]\s*(\d+)\s*[, ]\s*(\d+)\s*(?:[,/]\s*([\d.]+)(%)?\s*)?\)$/.exec(value);
	if (parts) {
		const [, red, green, blue, opacity = '1', percent] = parts;
		const isClear = Number(opacity) * (percent ? 0.01 : 1) < 0.1;
		return isClear ? 'clear' : [Number(red), Number(green), Number(blue)];
	}

	return value === 'transparent' ? 'clear' : named[value];
}

/** Whether nobody tells text in the one from a background in the other. */
export function looksSame(one: Color, other: Color): boolean {
	return one.every((part, index) => Math.abs(part - (other[index] ?? 0)) <= sameWithin);
}
