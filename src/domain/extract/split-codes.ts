import {isBreak} from './read-html.js';

/** Puts a code back together that is laid out with one character per table cell. */
export function joinCells(lines: readonly string[]): readonly string[] {
	const joined: string[] = [];
	let cells = false;
	for (const line of lines) {
		const isCell = /^[A-Za-z\d]$/.test(line);
		if (isCell && cells) {
			joined.push(`${joined.pop()} ${line}`);
		} else if (!cells || !isBreak(line)) {
			joined.push(line);
		}

		cells = isCell || (cells && isBreak(line));
	}

	return joined;
}

/** Puts a code of six digits back together that is laid out with two or three digits per table cell. */
export function joinGroups(lines: readonly string[]): readonly string[] {
	const isGroup = (line = '') => (line.length === 2 || line.length === 3) && /^\d+$/.test(line);
	if (!lines.some(isGroup)) {
		return lines;
	}

	const joined = [...lines];
	for (let at = 0; at < lines.length; at += 1) {
		let run = isGroup(lines[at]) ? 1 : 0;
		const isNextCell = (next: number) =>
			run > 0 && isBreak(lines[next - 1] ?? '') && lines[next]?.length === lines[at]?.length && isGroup(lines[next]);
		while (isNextCell(at + 2 * run)) {
			run += 1;
		}

		if (run * (lines[at]?.length ?? 0) === 6) {
			joined[at] = [0, 2, 4]
				.map(step => (step < 2 * run ? lines[at + step] : ''))
				.join(' ')
				.trim();
			joined.fill('', at + 1, at + 2 * run - 1);
		}

		at += Math.max(0, 2 * run - 2);
	}

	return joined;
}
