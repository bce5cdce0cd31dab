import type {ComponentChildren, RefObject} from 'preact';
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {type RowRange, rowsInView, scrollTopFor, shiftOf} from '../../core/list.js';

type VirtualListProps = {
	readonly class: string;
	readonly label: string;
	/** Height of every row in pixels, as in the style sheet. */
	readonly rowHeight: number;
	readonly count: number;
	/** Index and element id of the active row. */
	readonly active: {readonly index: number; readonly id: string} | undefined;
	/** Row to scroll to, once for each number other than 0. */
	readonly target: {readonly index: number; readonly number: number};
	readonly anchors?: Anchors;
	/** Called with the rows in view when scrolling pauses, and from time to time while it does not. */
	readonly onView?: (view: RowRange) => void;
	/** Renders a row. */
	readonly children: (index: number) => ComponentChildren;
};

/** Rows that stay in place on the screen when others are added or removed above. */
type Anchors = {
	readonly rows: ReadonlyArray<{readonly id: string}>;
	/** Index of the first of them. */
	readonly top: number;
	/** True if the list stays at its top instead. */
	readonly isPinned: (first: number) => boolean;
};

/** Number of rows beyond the view, on each side, that are in the page. */
const spareRows = 6;

/** Scrolling list of which only the rows in view are in the page. */
export function VirtualList(props: VirtualListProps) {
	const {rowHeight, count, active, children} = props;
	const box = useRef<HTMLDivElement>(null);
	const {view, onScroll} = useView(box, props);
	useAnchors(box, props);
	useTarget(box, props);
	const first = Math.max(0, Math.min(view.start, count - (view.end - view.start)));
	const start = Math.max(0, first - spareRows);
	const end = Math.min(count, first + view.end - view.start + spareRows);
	const isActiveThere = active !== undefined && active.index >= start && active.index < end;
	return (
		<div
			ref={box}
			class={props.class}
			role="listbox"
			aria-label={props.label}
			tabIndex={0}
			aria-activedescendant={isActiveThere ? active.id : undefined}
			onScroll={onScroll}
		>
			<div class="rows-all" style={{height: `${count * rowHeight}px`}}>
				<div style={{transform: `translateY(${start * rowHeight}px)`}}>
					{Array.from({length: Math.max(0, end - start)}, (_, offset) => children(start + offset))}
				</div>
			</div>
		</div>
	);
}

type Box = RefObject<HTMLDivElement | null>;

/** Pause of scrolling before `onView` is called, and the longest time without a call while scrolling goes on. */
const restMs = 60;
const longestMs = 200;

/** Follows the rows in view, once per frame. */
function useView(box: Box, {rowHeight, onView}: VirtualListProps) {
	const [view, setView] = useState<RowRange>({start: 0, end: 40});
	const latest = useRef({onView, reported: {start: 0, end: 0}, reportedAt: 0, timer: 0, frame: 0});
	latest.current.onView = onView;
	const [onScroll] = useState(() => () => {
		const {current} = latest;
		const measure = () =>
			box.current?.clientHeight ? rowsInView(box.current.scrollTop, box.current.clientHeight, rowHeight) : undefined;
		const report = () => {
			const measured = measure();
			current.reportedAt = performance.now();
			if (measured) {
				current.reported = measured;
				current.onView?.(measured);
			}
		};
		const now = measure();
		if (now === undefined) {
			return;
		}

		clearTimeout(current.timer);
		const isAtTop = now.start === 0;
		if (isAtTop !== (current.reported.start === 0) || performance.now() - current.reportedAt > longestMs) {
			report();
		} else {
			current.timer = window.setTimeout(report, restMs);
		}

		cancelAnimationFrame(current.frame);
		current.frame = requestAnimationFrame(() => {
			const {start, end} = measure() ?? now;
			setView(before => (before.start === start && before.end === end ? before : {start, end}));
		});
	});
	useEffect(() => {
		const observer = new ResizeObserver(onScroll);
		for (const element of [box.current, box.current?.firstElementChild]) {
			if (element) {
				observer.observe(element);
			}
		}

		return () => {
			observer.disconnect();
			clearTimeout(latest.current.timer);
			cancelAnimationFrame(latest.current.frame);
		};
	}, [box, onScroll]);
	return {view, onScroll};
}

/** Keeps the first row in view in place. */
function useAnchors(box: Box, {rowHeight, anchors}: VirtualListProps): void {
	const before = useRef(anchors);
	useLayoutEffect(() => {
		const {current} = box;
		const was = before.current;
		before.current = anchors;
		if (!current || !anchors || !was || (was.rows === anchors.rows && was.top === anchors.top)) {
			return;
		}

		const first = Math.floor(current.scrollTop / rowHeight);
		if (current.scrollTop >= rowHeight || !anchors.isPinned(first)) {
			current.scrollTop += shiftOf(was, anchors, first) * rowHeight;
		}
	});
}

function useTarget(box: Box, {rowHeight, target}: VirtualListProps): void {
	const done = useRef(0);
	const {index, number} = target;
	useLayoutEffect(() => {
		const {current} = box;
		if (current && done.current !== number) {
			done.current = number;
			current.scrollTop = scrollTopFor(index, rowHeight, current.scrollTop, current.clientHeight);
		}
	}, [box, index, number, rowHeight]);
}
