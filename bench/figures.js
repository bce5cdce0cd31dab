/**
 * @typedef {object} Goal
 * @property {number} [atLeast]
 * @property {number} [atMost]
 *
 * @typedef {object} Figure
 * @property {string} what
 * @property {string} tinbox as shown
 * @property {string} [peer] as shown
 * @property {number} [ratio] compared with the goal, where a peer ran beside
 * @property {number} [value] compared with the goal, where none can
 * @property {Goal} [goal] without one, the figure is only told
 */

/**
 * A figure that has a peer.
 * @param {string} what
 * @param {{ours: number, peer: string, theirs: number, show: (value: number) => string, goal?: Goal}} measured
 * @returns {Figure} its ratio is ours to theirs
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
 * How values are shown in a unit.
 * @param {string} unit
 * @param {number} [digits] behind the point
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

	const said = goal.atLeast === undefined ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`;
	return [said, isMet(figure) ? 'met' : 'NOT MET'];
}
