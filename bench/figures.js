/**
 * @typedef {object} Goal
 * @property {number} [atLeast]
 * @property {number} [atMost]
 *
 * @typedef {object} Figure
 * @property {string} what
 * @property {string} tinbox formatted value of tinbox
 * @property {string} [peer] formatted value of the peer
 * @property {number} [ratio] compared with the goal, if there is a peer
 * @property {number} [value] compared with the goal, if there is none
 * @property {Goal} [goal] without a goal, the figure is only printed
 */

/**
 * A figure with a peer.
 * @param {string} what
 * @param {{ours: number, peer: string, theirs: number, show: (value: number) => string, goal?: Goal}} measured
 * @returns {Figure} the ratio is ours / theirs
 */
export function figureBeside(what, {ours, peer, theirs, show, goal}) {
	return {what, tinbox: show(ours), peer: `${peer} ${show(theirs)}`, ratio: ours / theirs, ...(goal && {goal})};
}

/**
 * A figure without a peer.
 * @param {string} what
 * @param {{value: number, show: (value: number) => string, goal?: Goal}} measured
 * @returns {Figure}
 */
export function figureAlone(what, {value, show, goal}) {
	return {what, tinbox: show(value), value, ...(goal && {goal})};
}

/**
 * Returns a function that formats values with a unit.
 * @param {string} unit
 * @param {number} [digits] decimal places
 */
export function inUnit(unit, digits = 0) {
	return (/** @type {number} */ value) => `${value.toFixed(digits)} ${unit}`;
}

/** @param {Figure} figure */
export function isMet({ratio, value, goal = {}}) {
	const measured = ratio ?? value ?? Number.NaN;
	return (
		measured >= (goal.atLeast ?? Number.NEGATIVE_INFINITY) && measured <= (goal.atMost ?? Number.POSITIVE_INFINITY)
	);
}

/** @param {readonly Figure[]} figures */
export function table(figures) {
	const cells = figures.map(figure => [
		figure.what,
		figure.tinbox,
		figure.peer ?? '',
		figure.ratio === undefined ? '' : `${figure.ratio.toFixed(2)} x`,
		...verdict(figure),
	]);
	const all = [['what', 'tinbox', 'beside', 'ratio', 'goal', ''], ...cells];
	const widths = all[0]?.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0))) ?? [];
	return all
		.map(row =>
			row
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

/** @param {Figure} figure */
function verdict(figure) {
	const {goal} = figure;
	if (!goal) {
		return ['', ''];
	}

	const bound = goal.atLeast === undefined ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`;
	return [bound, isMet(figure) ? 'met' : 'NOT MET'];
}
