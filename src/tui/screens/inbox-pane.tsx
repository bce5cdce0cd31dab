import type {ReactNode} from 'react';
import type {InboxBody} from '../../contract/inboxes.js';
import type {State} from '../state/state.js';
import {List} from './list.js';
import {Pane} from './pane.js';
import type {PanePlace} from './place.js';
import {Placeholder} from './placeholder.js';
import type {Column} from './row.js';

const countWidth = 7;

/** Name or address, messages not looked at, messages in all. */
export function InboxPane({state, place}: {readonly state: State; readonly place: PanePlace}): ReactNode {
	const {inboxes, unseen, inboxesRevision, revision} = state;
	const {width, height, focused} = place;
	const columnsOf = ({id, name, email_address: address, message_count: count}: InboxBody): Column[] => {
		const fresh = unseen.get(id)?.size ?? 0;
		const freshWidth = fresh > 0 ? 6 : 0;
		return [
			{
				text: ` ${name === null ? address : `${name}  ${address}`}`,
				width: width - countWidth - freshWidth,
				bold: fresh > 0,
			},
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
