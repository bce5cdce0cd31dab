/** Characters of each body that are looked at; what lies behind is ignored, so that no mail takes long. */
export const longestInput = 512 * 1024;

const invisible = /(?:[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\u034f|\u115f)+/g;

/** The text as a reader sees it: nothing invisible, full-width ASCII made narrow, white space as one space, dashes as `-`. */
export function normalizeSpace(text: string): string {
	return text
		.replace(invisible, '')
		.replace(/[\uff01-\uff5e]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
		.replace(/[\u2010-\u2015\u2212]/g, '-')
		.replace(/\s+/g, ' ')
		.trim();
}

/** The normalized lines of the first 512 KiB of a plain-text body; a paragraph ends with `''`. */
export function readText(text: string): readonly string[] {
	return text
		.slice(0, longestInput)
		.split(/\r\n|\r|\n/)
		.map(normalizeSpace);
}
