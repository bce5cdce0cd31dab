const colors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** The style of a character in a terminal. */
export type TextStyle = {
	readonly color?: (typeof colors)[number] | undefined;
	readonly bold?: boolean;
	readonly dim?: boolean;
	readonly underline?: boolean;
	readonly inverse?: boolean;
};

export const plainStyle: TextStyle = {};

/** Applies a "select graphic rendition" sequence (ECMA-48, 8.3.117) to a style. */
export function applyRendition(style: TextStyle, numbers: string): TextStyle {
	return numbers.split(';').map(Number).reduce(withNumber, style);
}

function withNumber(style: TextStyle, number: number): TextStyle {
	switch (number) {
		case 0:
			return plainStyle;
		case 1:
			return {...style, bold: true};
		case 2:
			return {...style, dim: true};
		case 4:
			return {...style, underline: true};
		case 7:
			return {...style, inverse: true};
		case 22:
			return {...style, bold: false, dim: false};
		case 24:
			return {...style, underline: false};
		case 27:
			return {...style, inverse: false};
		case 39:
			return {...style, color: undefined};
		default:
			return number >= 30 && number < 38 ? {...style, color: colors[number - 30]} : style;
	}
}
