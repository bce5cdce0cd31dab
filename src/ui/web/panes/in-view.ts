import type {RefObject} from 'preact';
import {useLayoutEffect, useState} from 'preact/hooks';

/** Rows above and below those in view that are there, too. */
const spare = 10;

/** Which rows of a long list are in view of its box, with some around them; all rows have one height. */
export function useRowsInView(box: RefObject<HTMLElement | null>, count: number, rowHeight: number) {
	const [view, setView] = useState({first: 0, rows: 50});
	useLayoutEffect(() => {
		const element = box.current;
		if (!element) {
			return;
		}

		const look = () => {
			const first = Math.floor(element.scrollTop / rowHeight);
			const rows = Math.ceil(element.clientHeight / rowHeight);
			setView(before => (before.first === first && before.rows === rows ? before : {first, rows}));
		};
		const observer = new ResizeObserver(look);
		observer.observe(element);
		element.addEventListener('scroll', look, {passive: true});
		return () => {
			observer.disconnect();
			element.removeEventListener('scroll', look);
		};
	}, [box, rowHeight]);
	// Of a list that became shorter the end is in view.
	const first = Math.min(view.first, count - view.rows);
	return {start: Math.max(0, first - spare), end: Math.min(count, Math.max(0, first) + view.rows + spare)};
}
