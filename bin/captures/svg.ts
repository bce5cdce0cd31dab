import stringWidth from 'string-width';
import type {TextStyle} from '../../test/helpers/text-style.js';
import type {Cell} from '../../test/helpers/virtual-screen.js';

const cell = {width: 8.4, height: 18};
const margin = 14;
const barHeight = 30;

const ink = '#d7d9e0';
const paper = '#16181d';
const colors = {
	black: '#3b3f4a',
	red: '#ef6b73',
	green: '#7fca7f',
	yellow: '#e6c26a',
	blue: '#6ba4f0',
	magenta: '#c58af0',
	cyan: '#5cc8d6',
	white: ink,
} as const;

const styleSheet = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:${ink};white-space:pre}
.dim{opacity:.6}.bold{font-weight:700}.underline{text-decoration:underline}.inverse{fill:${paper}}
${Object.entries(colors)
	.map(([name, color]) => `.${name}{fill:${color}}`)
	.join('')}`;

/** Neighbours on a line that look alike; a wide character stands alone, so that fonts cannot shift what follows it. */
type Run = {readonly column: number; readonly columns: number; readonly text: string; readonly style: TextStyle};

/** Draws a screen as a window with a title. */
export function drawScreen(lines: ReadonlyArray<readonly Cell[]>, columns: number, title: string): string {
	const width = Math.ceil(columns * cell.width + 2 * margin);
	const height = lines.length * cell.height + barHeight + margin;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
		`<title>${escapeXml(title)}</title><style>${styleSheet}</style>`,
		`<rect width="${width}" height="${height}" rx="10" fill="${paper}"/>`,
		...['#ef6b73', '#e6c26a', '#7fca7f'].map(
			(color, i) => `<circle cx="${20 + 18 * i}" cy="16" r="5.5" fill="${color}"/>`,
		),
		`<text class="dim" x="${width / 2}" y="21" text-anchor="middle">${escapeXml(title)}</text>`,
		...lines.flatMap((line, row) => runsOf(line).map(run => drawRun(run, row))),
		'</svg>\n',
	].join('\n');
}

function runsOf(line: readonly Cell[]): readonly Run[] {
	const runs: Run[] = [];
	line.forEach(({text, style}, column) => {
		const last = runs.at(-1);
		const columns = stringWidth(text);
		if (columns === 1 && last?.style === style && last.column + last.text.length === column) {
			runs[runs.length - 1] = {...last, columns: last.columns + 1, text: last.text + text};
		} else if (columns > 0) {
			runs.push({column, columns, text, style});
		}
	});
	return runs.filter(({text, style}) => style.inverse || text.trim() !== '');
}

function drawRun({column, columns, text, style}: Run, row: number): string {
	const {color, inverse} = style;
	const x = round(margin + column * cell.width);
	const y = barHeight + row * cell.height;
	const width = round(columns * cell.width);
	const classes = [
		...(['dim', 'bold', 'underline', 'inverse'] as const).filter(name => style[name]),
		...(color && !inverse ? [color] : []),
	].join(' ');
	const back = inverse
		? `<rect x="${x}" y="${y}" width="${width}" height="${cell.height}" fill="${colors[color ?? 'white']}"/>`
		: '';
	const attributes = `x="${x}" y="${y + 13.5}" textLength="${width}"${classes && ` class="${classes}"`}`;
	return text.trim() === '' ? back : `${back}<text ${attributes}>${escapeXml(text)}</text>`;
}

function round(value: number): number {
	return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
	return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
