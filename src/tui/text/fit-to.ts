import {type Cluster, clustersOf, displayable, isAscii} from './clusters.js';

/** Characters of a text that are looked at for each column; a subject can be megabytes of marks. */
const mostPerColumn = 16;

/** Cuts or pads a text from outside to exactly `width` columns; a cut is shown by `…`. */
export function fitTo(text: string, width: number): string {
	if (width <= 0) {
		return '';
	}

	const plain = displayable(text.slice(0, mostPerColumn * (width + 1)));
	if (isAscii(plain)) {
		return plain.length <= width ? plain.padEnd(width) : `${plain.slice(0, width - 1)}…`;
	}

	const clusters = clustersOf(plain);
	const whole = take(clusters, width);
	if (whole.count === clusters.length) {
		return pad(whole, width);
	}

	const start = take(clusters, width - 1);
	return pad({...start, text: `${start.text}…`, width: start.width + 1}, width);
}

/** The end of a text that is being typed, in at most `width` columns. */
export function endOf(text: string, width: number): string {
	const clusters = clustersOf(text);
	const {count} = take([...clusters].reverse(), width);
	return clusters
		.slice(clusters.length - count)
		.map(cluster => cluster.text)
		.join('');
}

type Taken = {readonly text: string; readonly width: number; readonly count: number};

/** As many of the first clusters as fit. */
function take(clusters: readonly Cluster[], room: number): Taken {
	let text = '';
	let width = 0;
	let count = 0;
	for (let next = clusters[0]; next && width + next.width <= room; next = clusters[count]) {
		text += next.text;
		width += next.width;
		count++;
	}

	return {text, width, count};
}

function pad({text, width}: Taken, room: number): string {
	return text + ' '.repeat(room - width);
}
