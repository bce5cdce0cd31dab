import type {ReactNode} from 'react';
import {widthOf} from '../../../lib/columns.js';
import {type InboxRow, isInbox} from '../../core/inboxes.js';
import {unseenIn} from '../../core/unseen.js';
import {ListPane} from './list-pane.js';
import type {PaneProps} from './pane.js';
import type {Cell} from './row.js';

const countWidth = 6;

/** The inboxes with their new and total messages, below a row for all inboxes. */
export function InboxPane({state, place}: PaneProps): ReactNode {
	const {inboxes, unseen, inboxesRevision, revision} = state;
	const {all, shown, filter} = inboxes;
	const cellsOf = (row: InboxRow): Cell[] => {
		const of = isInbox(row) ? [row] : all;
		const {name, email_address: address} = isInbox(row) ? row : {name: null, email_address: 'All inboxes'};
		const count = of.reduce((sum, inbox) => sum + inbox.message_count, 0);
		const fresh = of.reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
		const bold = fresh > 0;
		const freshWidth = bold ? 6 : 0;
		const room = place.width - 1 - countWidth - freshWidth;
		const nameWidth = name === null ? 0 : Math.min(room, widthOf(name) + 2);
		return [
			{text: name ?? '', width: nameWidth, bold},
			{text: address, width: room - nameWidth, bold, dim: nameWidth > 0},
			{text: `+${fresh}`.padStart(freshWidth), width: freshWidth, color: 'green'},
			{text: String(count).padStart(countWidth), width: countWidth, dim: true},
		];
	};
	const isRead = inboxesRevision === revision && revision > 0;
	return (
		<ListPane
			title={filter === '' ? 'Inboxes' : `Inboxes with "${filter}"`}
			note={filter === '' ? String(all.length) : `${shown.rows.length} of ${all.length}`}
			place={place}
			list={shown}
			cellsOf={cellsOf}
			empty={
				!isRead
					? 'Loading …'
					: filter === ''
						? 'No inboxes yet. Press n to create one.'
						: 'No inboxes match the filter.'
			}
			filter={filter}
		/>
	);
}
