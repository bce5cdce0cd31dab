import type {ReactNode} from 'react';
import {describeFault} from '../../../client/fault-words.js';
import type {FaultBody, FaultHitBody} from '../../../contract/faults.js';
import {widthOf} from '../../../lib/text/columns.js';
import {
	type FaultRow,
	faultCommand,
	faultsTitle,
	hitReply,
	hitSender,
	isFault,
	remainingHits,
} from '../../core/faults.js';
import {clockTime} from '../../core/format.js';
import {selectedInbox} from '../../core/inboxes.js';
import {type FaultPanes, selectedFault} from '../state/faults.js';
import {type Cell, Lines, ListPane, Pane, type PaneProps} from './pane.js';

const timeWidth = 9;

/** Enough to know a fault by; in less room there is neither stage nor what is left. */
const minNameWidth = 12;

/** A code, and enough of the text. */
const minReplyWidth = 28;
const minSenderWidth = 12;

/** Name and effect, stage, how often each acted of how often it was asked, how often it will still act. */
export function FaultPane({state, place}: PaneProps): ReactNode {
	const {faults, inboxId} = state.faults;
	const all = faults.rows.filter(isFault);
	const countWidth = columnWidth(all.map(hitsOf));
	const widths = [columnWidth(all.map(({stage}) => stage)), columnWidth(all.map(leftOf))] as const;
	const rest = place.width - 1 - countWidth;
	const isNarrow = rest - widths[0] - widths[1] < minNameWidth;
	const [stageWidth, leftWidth] = isNarrow ? [0, 0] : widths;
	const room = Math.max(0, rest - stageWidth - leftWidth);
	const cellsOf = (row: FaultRow): Cell[] => {
		if (!isFault(row)) {
			return [{text: 'All hits', width: place.width - 1}];
		}

		const {name, stage, hit_count: hits} = row;
		const nameWidth = name === null ? 0 : Math.min(room, widthOf(name) + 2);
		return [
			{text: name ?? '', width: nameWidth},
			{text: describeFault(row), width: room - nameWidth, dim: name !== null},
			{text: ` ${stage}`, width: stageWidth, dim: true},
			{text: hitsOf(row).padStart(countWidth), width: countWidth, ...(hits > 0 && {color: 'green'})},
			{text: leftOf(row).padStart(leftWidth), width: leftWidth, color: 'yellow'},
		];
	};
	return (
		<ListPane
			title={faultsTitle(selectedInbox(state.inboxes))}
			note={faults.rows.length === 0 ? '' : String(all.length)}
			place={place}
			list={faults}
			cellsOf={cellsOf}
			empty={inboxId === undefined ? '' : 'Loading …'}
		/>
	);
}

/** The compact form of `timesActed`, such as `Hit 1/3`. */
function hitsOf({hit_count: hits, seen}: FaultBody): string {
	return `Hit ${hits}/${seen}`;
}

/** The compact form of `timesLeft`, such as `2 left`. */
function leftOf(fault: FaultBody): string {
	const left = remainingHits(fault);
	return left === undefined ? '' : `${left} left`;
}

/** For a space and the longest of the texts; none where all are empty. */
function columnWidth(texts: readonly string[]): number {
	const longest = Math.max(0, ...texts.map(({length}) => length));
	return longest === 0 ? 0 : longest + 1;
}

/** The hits of the selected row: time, sender where there is room, and what the client was told. */
export function HitListPane({state: {faults}, place}: PaneProps): ReactNode {
	const {hits, total, hitsRead} = faults;
	const room = place.width - 1 - timeWidth;
	const spare = Math.min(32, room - minReplyWidth);
	const senderWidth = spare < minSenderWidth ? 0 : spare;
	const cellsOf = (hit: FaultHitBody): Cell[] => [
		{text: clockTime(hit.time, new Date()), width: timeWidth, dim: true},
		{text: hitSender(hit), width: senderWidth},
		{text: ` ${hitReply(hit)}`, width: room - senderWidth},
	];
	return (
		<ListPane
			title="Hits"
			note={hits.rows.length < total ? `${hits.rows.length} of ${total}` : String(total)}
			place={place}
			list={hits}
			cellsOf={cellsOf}
			empty={hitsRead === '' ? '' : noHits(faults)}
		/>
	);
}

function noHits({faults, inboxId}: FaultPanes): string {
	return faults.rows.some(isFault)
		? 'No hits yet.'
		: `No faults yet. Run: ${faultCommand(inboxId === null ? null : '<inbox>')}`;
}

/** The selected hit in full, and the fault. */
export function HitPane({state: {faults}, place}: PaneProps): ReactNode {
	const {lines, top, hits} = faults;
	return (
		<Pane title={hits.rows.length === 0 && selectedFault(faults) ? 'Fault' : 'Hit'} place={place}>
			<Lines lines={lines.slice(top, top + place.height - 1)} width={place.width} />
		</Pane>
	);
}
