import type {ReactNode} from 'react';
import stringWidth from 'string-width';
import type {InboxBody} from '../../contract/inboxes.js';
import type {State} from '../state/state.js';
import {unseenIn} from '../state/unseen.js';
import {displayable} from '../text/clusters.js';
import {List} from './list.js';
import {Pane} from './pane.js';
import type {PanePlace} from './place.js';
import {Placeholder} from './placeholder.js';
import type {Column} from './row.js';

const countWidth = 6;

/** Name or address, messages not looked at, messages in all. */
export function InboxPane({state, place}: {readonly state: State; readonly place: PanePlace}): ReactNode {
	const {inboxes, unseen, inboxesRevision, revision} = state;
	const {width, height, focused} = place;
	const columnsOf = (inbox: InboxBody): Column[] => {
		const {name, email_address: address, message_count: count} = inbox;
		const fresh = unseenIn(unseen, inbox);
		const freshWidth = fresh > 0 ? 6 : 0;
		const room = width - countWidth - freshWidth;
		const nameWidth = name === null ? 0 : Math.min(room, stringWidth(displayable(name)) + 3);
		return [
			{text: ` ${name}`, width: nameWidth, bold: fresh > 0},
			{text: nameWidth > 0 ? address : ` ${address}`, width: room - nameWidth, bold: fresh > 0, dim: nameWidth > 0},
			{text: `+${fresh}`.padStart(freshWidth), width: freshWidth, color: 'green'},
			{text: String(count).padStart(countWidth), width: countWidth, dim: true},
		];
	};
	return (
		<Pane title="Inboxes" note={String(inboxes.rows.length)} {...place}>
			{inboxes.rows.length > 0 ? (
				<List list={inboxes} height={height - 1} focused={focused} columnsOf={columnsOf} />
			) : (
				<Placeholder
					text={inboxesRevision === revision && revision > 0 ? 'None yet: n makes one.' : 'Reading …'}
					width={width}
				/>
			)}
		</Pane>
	);
}
