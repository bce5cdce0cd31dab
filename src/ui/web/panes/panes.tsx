import {type AnchorHTMLAttributes, type ComponentChildren, Fragment} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {showControls} from '../../../lib/text/sanitize.js';
import {markMatches} from '../../core/filter.js';
import {type Facts, factRows} from '../../core/format.js';
import {useWeb} from '../context.js';
import type {PaneOfScreen} from '../keys/focus.js';
import {hrefOf, type Route} from '../state/route.js';
import type {WebState, WebUpdate} from '../state/state.js';

type PanesProps = {
	/** Which of them a narrow page shows. */
	readonly open: PaneOfScreen;
	/** What the first one lists. */
	readonly label: string;
	readonly first: ComponentChildren;
	readonly children: ComponentChildren;
};

/** A list of what there is, and what is in one of them. */
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
	/** What is in it. */
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

/** The way to the pane before, where there is no room for both. */
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
	readonly role?: 'option';
	readonly children: ComponentChildren;
};

/** A link to another place of the page; with Ctrl or the middle button it opens in a tab of its own, as links do. */
export function PlaceLink({to, children, ...attributes}: LinkProps) {
	const {go} = useWeb();
	const onClick = (event: MouseEvent) => {
		if (event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
			event.preventDefault();
			go(to);
		}
	};
	return (
		<a {...attributes} href={hrefOf(to)} onClick={onClick}>
			{children}
		</a>
	);
}

type OptionListProps<R> = {
	/** What is listed. */
	readonly label: string;
	readonly rows: readonly R[];
	readonly selected: string | undefined;
	readonly routeOf: (row: R) => Route;
	/** What a row shows. */
	readonly children: (row: R) => ComponentChildren;
};

/** A list of few rows, of which one is open. */
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

/** Has what is shown read again and again, since no event announces every change of it; never before it was read. Both must stay the same. */
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

/** What is known of a thing, a line each. */
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

/** A text from outside, apart from its neighbours whatever its direction, with what the filter matches marked. */
export function MarkedText({text, filter}: {readonly text: string; readonly filter: string}) {
	return (
		<bdi>
			{markMatches(text, filter).map(({text, marked}, index) => (marked ? <mark key={index}>{text}</mark> : text))}
		</bdi>
	);
}
