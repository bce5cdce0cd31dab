import path from 'node:path';
import {sanitizeLine} from './sanitize.js';

const longestStem = 100;
const longestExtension = 20;

/** Device names of Windows, with or without an extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * A plain file name out of one that somebody else made up: never a path, a hidden file, a device or an escape sequence.
 */
export function safeFileName(name: string, fallback: string): string {
	const base = sanitizeLine(name.split(/[/\\]/).at(-1) ?? '')
		.replace(/[<>:"|?*]/g, '_')
		.replace(/^[.\s]+|[.\s]+$/g, '')
		.replace(reserved, '_$&');
	const {name: stem, ext} = path.parse(base);
	return base === '' ? fallback : stem.slice(0, longestStem) + ext.slice(0, longestExtension);
}
