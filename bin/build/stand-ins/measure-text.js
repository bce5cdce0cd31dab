/**
 * Stands for ink's measure-text.js, which remembers the size of every text for ever: a `tinbox watch` that is open all day
 * beside much mail would grow by tens of megabytes an hour. This one begins anew after so many texts, which is many frames.
 */
import stringWidth from 'string-width';

const maxTexts = 2000;

/** @type {Map<string, {width: number, height: number}>} */
const sizes = new Map();

/** @param {string} text */
export default function measureText(text) {
	const known = sizes.get(text);
	if (known) {
		return known;
	}

	const lines = text.split('\n');
	const size = {width: Math.max(...lines.map(line => stringWidth(line))), height: text === '' ? 0 : lines.length};
	if (sizes.size === maxTexts) {
		sizes.clear();
	}

	sizes.set(text, size);
	return size;
}
