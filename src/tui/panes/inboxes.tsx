import type {ReactNode} from 'react';
import type {InboxBody} from '../../contract/inboxes.js';
import {widthOf} from '../../lib/columns.js';
import {unseenIn} from '../state/unseen.js';
import {ListPane} from './list-pane.js';
import type {PaneProps} from './pane.js';
import type {Cell} from './row.js';

const countWidth = 6;

/** Name or address, unseen messages, messages in all. */
export function InboxPane({state, place}: PaneProps): ReactNode {
	const {inboxes, unseen, inboxesRevision, revision} = state;
	const cellsOf = (inbox: InboxBody): Cell[] => {
		const {name, email_address: address, message_count: count} = inbox;
		const fresh = unseenIn(unseen, inbox);
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
			title="Inboxes"
			note={String(inboxes.rows.length)}
			place={place}
			list={inboxes}
			cellsOf={cellsOf}
			empty={isRead ? 'None yet: n makes one.' : 'Reading …'}
		/>
	);
}
