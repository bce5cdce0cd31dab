/**
 * Makes control characters visible where the exact source matters: `␛` for ESC, as Unicode draws them, and `<9B>` for
 * those of C1. Line breaks and tabs stay.
 */
export function showControls(text: string): string {
	return text
		.replace(/\r\n/g, '\n')
		.replace(/[\0-\x08\x0b-\x1f]/g, control => String.fromCharCode(0x2400 + control.charCodeAt(0)))
		.replace(/\x7f/g, '␡')
		.replace(/[\x80-\x9f]/g, control => `<${control.charCodeAt(0).toString(16).toUpperCase()}>`);
}
