import {isMet} from './figures.js';

/** @typedef {import('./figures.js').Figure} Figure */

const rowHeight = 30;
const top = 64;
const chart = {left: 460, right: 836};
const width = 860;

/** Range of the logarithmic scale: how many times better than its goal a figure is. Longer bars are cut off. */
const scale = {from: 1 / 2, to: 16};
const ticks = [1, 2, 4, 8, 16];

/** Background and text are both set, so that the picture is readable on any page. */
const style = `
.panel { fill: #f6f8fa } text { fill: #1f2328 } .note { fill: #59636e } .grid { stroke: #59636e }
.met { fill: #2f81f7 } .missed { fill: #d1682b }
@media (prefers-color-scheme: dark) {
.panel { fill: #161b22 } text { fill: #e6edf3 } .note { fill: #9198a1 } .grid { stroke: #9198a1 }
}`;

/**
 * Draws the figures that have a goal as bars: how many times better than the goal each is.
 * @param {readonly Figure[]} figures
 */
export function picture(figures) {
	const shown = figures.filter(({goal}) => goal?.atLeast !== undefined || (goal?.atMost ?? 0) > 0);
	const bottom = top + shown.length * rowHeight;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 16}" role="img" font-family="system-ui, sans-serif" font-size="12">
<title>How many times as good as its goal each figure of tinbox is</title>
<style>${style}</style>
<rect class="panel" width="100%" height="100%" rx="8"/>
<text x="16" y="26" font-size="15" font-weight="600">tinbox beside its goals</text>
<text class="note" x="${chart.right}" y="26" text-anchor="end">longer is better</text>
${ticks.map(tick => gridLine(tick, bottom)).join('\n')}
${shown.map((figure, index) => bar(figure, top + index * rowHeight)).join('\n')}
</svg>
`;
}

/**
 * @param {number} tick
 * @param {number} bottom
 */
function gridLine(tick, bottom) {
	const isGoal = tick === 1;
	return `<path class="grid" d="M${x(tick)} ${top - 6}V${bottom}" opacity="${isGoal ? 1 : 0.25}"/>
<text class="note" x="${x(tick)}" y="${top - 12}" text-anchor="middle" font-size="11">${isGoal ? 'goal' : `${tick} x`}</text>`;
}

/**
 * @param {Figure} figure
 * @param {number} y upper edge
 */
function bar(figure, y) {
	const {what, ratio, peer = ''} = figure;
	const length = (x(timesTheGoal(figure)) - chart.left).toFixed(1);
	// Absolute values are not comparable between machines.
	const note = ratio === undefined ? '' : `${ratio.toFixed(2)} x ${peer.replace(/ [\d.,]+(\/s| ms| MB)$/, '')}`.trim();
	return `<text x="16" y="${y + 13}">${escaped(what)}</text>
<text class="note" x="16" y="${y + 25}" font-size="10">${escaped(note)}</text>
<rect class="${isMet(figure) ? 'met' : 'missed'}" x="${chart.left}" y="${y + 6}" width="${length}" height="14" rx="2"/>`;
}

/** @param {Figure} figure */
function timesTheGoal({ratio, value, goal: {atLeast, atMost = Number.NaN} = {}}) {
	const measured = ratio ?? value ?? Number.NaN;
	return atLeast === undefined ? atMost / measured : measured / atLeast;
}

/** @param {number} times */
function x(times) {
	const within = Math.min(scale.to, Math.max(scale.from * 1.05, times));
	const share = Math.log(within / scale.from) / Math.log(scale.to / scale.from);
	return Number((chart.left + share * (chart.right - chart.left)).toFixed(1));
}

/** @param {string} text */
function escaped(text) {
	return text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}
