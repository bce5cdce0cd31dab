import {type AnchorHTMLAttributes, type ComponentChildren, Fragment} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {showControls} from '../../../lib/text/sanitize.js';
import {markMatches, type TextRun} from '../../core/filter.js';
import {type Facts, factRows} from '../../core/format.js';
import {attempt, copyToClipboard} from '../actions/notices.js';
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
			<nav class="pane inboxes" data-pane="inboxes" aria-label={label} tabIndex={-1}>
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
	/** Label and route of the previous pane, for a link in a narrow window. */
	readonly back: readonly [label: string, to: Route];
	readonly children: ComponentChildren;
};

export function ScreenPane({name, label, back: [backLabel, to], children}: ScreenPaneProps) {
	return (
		<section class={`pane ${name}`} data-pane={name} aria-label={label} tabIndex={-1}>
			<RouteLink class="back" to={to}>
				<span aria-hidden="true">‹ </span>
				{backLabel}
			</RouteLink>
			{children}
		</section>
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
export function RouteLink({to, onOpen, children, ...attributes}: LinkProps) {
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
export function OptionList<R extends {readonly id: string}>(props: OptionListProps<R>) {
	const {label, rows, selected, routeOf, children} = props;
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
				<RouteLink
					key={row.id}
					id={`row-${row.id}`}
					class="option"
					role="option"
					tabIndex={-1}
					aria-selected={row.id === selected}
					to={routeOf(row)}
				>
					{children(row)}
				</RouteLink>
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

/** Time for which the button itself shows the success, because a dialog may cover notices. */
const shownMs = 1500;

type CopyButtonProps = {
	readonly text: string;
	/** Object of the button, for screen readers. */
	readonly what: string;
	readonly children?: string;
};

export function CopyButton({text, what, children = 'Copy'}: CopyButtonProps) {
	const web = useWeb();
	const [isCopied, setCopied] = useState(false);
	useEffect(() => {
		const timer = isCopied ? setTimeout(() => setCopied(false), shownMs) : undefined;
		return () => clearTimeout(timer);
	}, [isCopied]);
	const onClick = async () => setCopied(await attempt(web, async () => copyToClipboard(web, text)));
	return (
		<button type="button" class="small copy" onClick={onClick}>
			<span class={isCopied ? 'done' : undefined}>{children}</span>
			<span class="visually-hidden"> {what}</span>
		</button>
	);
}
