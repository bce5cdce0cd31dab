import type {ComponentChildren} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import type {Route} from '../state/route.js';
import {PlaceLink} from './link.js';

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
