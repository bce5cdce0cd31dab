import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';

type MoreProps<Row> = {
	readonly rows: readonly Row[];
	/** How many are shown at first, and how many more each time. */
	readonly step: number;
	readonly children: (rows: readonly Row[]) => ComponentChildren;
};

/** The first of many rows, and the next ones when asked for. */
export function More<Row>({rows, step, children}: MoreProps<Row>) {
	const [count, setCount] = useState(step);
	const left = rows.length - count;
	return (
		<>
			{children(left > 0 ? rows.slice(0, count) : rows)}
			{left > 0 && (
				<p class="more">
					{count} of {rows.length.toLocaleString('en')}.{' '}
					<button type="button" onClick={() => setCount(count + step)}>
						Show {Math.min(step, left)} more
					</button>
				</p>
			)}
		</>
	);
}
