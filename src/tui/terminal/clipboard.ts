/** The sequence that puts a text into the terminal's clipboard (OSC 52); terminals without it ignore it. */
export function clipboardSequence(text: string): string {
	return `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`;
}
