import type {ComponentChildren} from 'preact';
import type {PaneOfScreen} from '../keys/focus.js';
import type {Route} from '../state/route.js';
import {PlaceLink} from './link.js';

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
