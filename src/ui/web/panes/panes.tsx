import {type AnchorHTMLAttributes, type ComponentChildren, Fragment} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {showControls} from '../../../lib/text/sanitize.js';
import {markMatches, type TextRun} from '../../core/filter.js';
import {type Facts, factRows} from '../../core/format.js';
import {useWeb} from '../context.js';
import type {PaneOfScreen} from '../keys/focus.js';
import {hrefOf, type Route} from '../state/route.js';
import type {WebState, WebUpdate} from '../state/state.js';

type PanesProps = {
	/** Pane that a narrow window shows. */
	readonly open: PaneOfScreen;
	/** Label of the first pane. */
	readonly label: string;
	readonly first: ComponentChildren;
	readonly children: ComponentChildren;
};

/** Panes side by side: a list, and the contents of one row. */
export function Panes({open, label, first, children}: PanesProps) {
	return (
		<main class="panes" data-open={open}>
			<nav class="pane inboxes" data-place="inboxes" aria-label={label} tabIndex={-1}>
				{first}
			</nav>
			<div class="contents">{children}</div>
		</main>
	);
}

type ScreenPaneProps = {
	readonly name: PaneOfScreen;
	/** Label of the pane. */
	readonly label: string;
	readonly back: ComponentChildren;
	readonly children: ComponentChildren;
};

export function ScreenPane({name, label, back, children}: ScreenPaneProps) {
	return (
		<section class={`pane ${name}`} data-place={name} aria-label={label} tabIndex={-1}>
			{back}
			{children}
		</section>
	);
}

/** Link to the previous pane in a narrow window. */
export function Back({to, children}: {readonly to: Route; readonly children: string}) {
	return (
		<PlaceLink class="back" to={to}>
			<span aria-hidden="true">‹ </span>
			{children}
		</PlaceLink>
	);
}

type LinkProps = Omit<AnchorHTMLAttributes, 'href' | 'role'> & {
	readonly to: Route;
	/** Action of a click; by default it opens the route. */
	readonly onOpen?: () => void;
	readonly role?: 'option';
	readonly children: ComponentChildren;
};

/** Link to another route. Modified clicks open it in a new tab, as usual. */
export function PlaceLink({to, onOpen, children, ...attributes}: LinkProps) {
	const {go} = useWeb();
	const onClick = (event: MouseEvent) => {
		if (event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
			event.preventDefault();
			onOpen ? onOpen() : go(to);
		}
	};
	return (
		<a {...attributes} href={hrefOf(to)} onClick={onClick}>
			{children}
		</a>
	);
}

type OptionListProps<R> = {
	/** Label of the list. */
	readonly label: string;
	readonly rows: readonly R[];
	readonly selected: string | undefined;
	readonly routeOf: (row: R) => Route;
	/** Content of a row. */
	readonly children: (row: R) => ComponentChildren;
};

/** List of a few rows, one of which is open. */
export function OptionList<R extends {readonly id: string}>({
	label,
	rows,
	selected,
	routeOf,
	children,
}: OptionListProps<R>) {
	const list = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (selected !== undefined) {
			list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({block: 'nearest'});
		}
	}, [selected]);
	if (rows.length === 0) {
		return null;
	}

	return (
		<div
			ref={list}
			class="options"
			role="listbox"
			aria-label={label}
			tabIndex={0}
			aria-activedescendant={selected && `row-${selected}`}
		>
			{rows.map(row => (
				<PlaceLink
					key={row.id}
					id={`row-${row.id}`}
					class="option"
					role="option"
					tabIndex={-1}
					aria-selected={row.id === selected}
					to={routeOf(row)}
				>
					{children(row)}
				</PlaceLink>
			))}
		</div>
	);
}

const refreshMs = 2000;

/** Applies `update` at an interval to read data again whose changes have no event, while `isRead` is true. Both functions must be stable. */
export function useRefresh(isRead: (state: WebState) => boolean, update: WebUpdate): void {
	const {store} = useWeb();
	useEffect(() => {
		const timer = setInterval(() => {
			if (!document.hidden && store.get().feed.status === 'live' && isRead(store.get())) {
				store.update(update);
			}
		}, refreshMs);
		return () => clearInterval(timer);
	}, [store, isRead, update]);
}

/** Table of facts. */
export function FactTable({facts}: {readonly facts: Facts}) {
	return (
		<dl class="fact-table">
			{factRows(facts).map(([label, text]) => (
				<Fragment key={label}>
					<dt>{label}</dt>
					<dd>
						<bdi>{showControls(text)}</bdi>
					</dd>
				</Fragment>
			))}
		</dl>
	);
}

/** Text with marked matches of a filter. */
export function MarkedText({text, filter}: {readonly text: string; readonly filter: string}) {
	return <MarkedRuns runs={markMatches(text, filter)} />;
}

/** Runs of a text, matches marked. */
export function MarkedRuns({runs}: {readonly runs: readonly TextRun[]}) {
	return <>{runs.map(({text, marked}, index) => (marked ? <mark key={index}>{text}</mark> : text))}</>;
}
