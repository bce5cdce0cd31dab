import {describeFault} from '../../../client/faults.js';
import type {FaultBody} from '../../../contract/faults.js';
import {widthOf} from '../../../lib/text/columns.js';
import {faultCommand, faultsTitle, hitReply, hitSender, isFault, remainingHits} from '../../core/faults.js';
import {clockTime} from '../../core/format.js';
import {selectedInbox} from '../../core/inboxes.js';
import {statusWord, webhookCommand} from '../../core/webhooks.js';
import {selectedFault} from '../state/faults.js';
import type {FaultPanes, WebhookPanes} from '../state/state.js';
import {listPane, type PanePlace, pane, type RenderPane, textLines} from './pane.js';

const timeWidth = 9;

/** Minimum width of name and effect; in less room, stage and remaining hits are left out. */
const minNameWidth = 12;
const minReplyWidth = 28;
const minSenderWidth = 12;

/** Faults with name, effect, stage, hits and remaining hits. */
export const faultPane: RenderPane = (state, place) => {
	const {list, inboxId} = state.faults;
	const all = list.rows.filter(isFault);
	const countWidth = columnWidth(all.map(hitsOf));
	const widths = [columnWidth(all.map(({stage}) => stage)), columnWidth(all.map(remainingOf))] as const;
	const rest = place.width - 1 - countWidth;
	const isNarrow = rest - widths[0] - widths[1] < minNameWidth;
	const [stageWidth, remainingWidth] = isNarrow ? [0, 0] : widths;
	const room = Math.max(0, rest - stageWidth - remainingWidth);
	return listPane({
		title: faultsTitle(selectedInbox(state.inboxes)),
		note: list.rows.length === 0 ? '' : String(all.length),
		place,
		list,
		cellsOf(row) {
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
				{text: remainingOf(row).padStart(remainingWidth), width: remainingWidth, color: 'yellow'},
			];
		},
		empty: inboxId === undefined ? '' : 'Loading …',
	});
};

/** Compact form of `timesActed`, such as `Hit 1/3`. */
function hitsOf({hit_count: hits, seen}: FaultBody): string {
	return `Hit ${hits}/${seen}`;
}

/** Compact form of `timesLeft`, such as `2 left`. */
function remainingOf(fault: FaultBody): string {
	const remaining = remainingHits(fault);
	return remaining === undefined ? '' : `${remaining} left`;
}

/** Width for a space and the longest text; 0 if all texts are empty. */
function columnWidth(texts: readonly string[]): number {
	const longest = Math.max(0, ...texts.map(({length}) => length));
	return longest === 0 ? 0 : longest + 1;
}

/** Hits of the selected row with time, sender (if there is room) and reply. */
export const hitListPane: RenderPane = ({faults}, place) => {
	const {records: hits, total, recordsRead} = faults;
	const room = place.width - 1 - timeWidth;
	const spare = Math.min(32, room - minReplyWidth);
	const senderWidth = spare < minSenderWidth ? 0 : spare;
	return listPane({
		title: 'Hits',
		note: hits.rows.length < total ? `${hits.rows.length} of ${total}` : String(total),
		place,
		list: hits,
		cellsOf: hit => [
			{text: clockTime(hit.time, new Date()), width: timeWidth, dim: true},
			{text: hitSender(hit), width: senderWidth},
			{text: ` ${hitReply(hit)}`, width: room - senderWidth},
		],
		empty: recordsRead === '' ? '' : noHits(faults),
	});
};

function noHits({list, inboxId}: FaultPanes): string {
	return list.rows.some(isFault)
		? 'No hits yet.'
		: `No faults yet. Run: ${faultCommand(inboxId === null ? null : '<inbox>')}`;
}

/** Selected hit and its fault in full. */
export const hitPane: RenderPane = ({faults}, place) => {
	const title = faults.records.rows.length === 0 && selectedFault(faults) ? 'Fault' : 'Hit';
	return recordPane(title, faults, place);
};

function recordPane(title: string, {lines, top}: WebhookPanes | FaultPanes, place: PanePlace): readonly string[] {
	return pane({title, place}, textLines(lines.slice(top, top + place.height - 1), {width: place.width}));
}

/** Webhook endpoints of the user. */
export const endpointPane: RenderPane = ({webhooks: {list, listRead}}, place) =>
	listPane({
		title: 'Endpoints',
		note: String(list.rows.length),
		place,
		list,
		cellsOf: ({url, is_active: isActive}) => [
			{text: url, width: place.width - 1 - (isActive ? 0 : 5)},
			{text: ' off', width: isActive ? 0 : 5, color: 'yellow'},
		],
		empty: listRead === '' ? 'Loading …' : `No endpoints yet. Run: ${webhookCommand}`,
	});

const statusColors = {delivered: 'green', pending: 'cyan', failed: 'yellow', dead: 'red'} as const;

/** Deliveries to the selected endpoint. */
export const deliveryListPane: RenderPane = ({webhooks: {list, records, total}}, place) =>
	listPane({
		title: 'Deliveries',
		note: records.rows.length < total ? `${records.rows.length} of ${total}` : String(total),
		place,
		list: records,
		cellsOf(delivery) {
			const {created_at: time, status, attempts, response_status: code, event} = delivery;
			return [
				{text: clockTime(time, new Date()), width: 9, dim: true},
				{text: ` ${statusWord(delivery)}`, width: 11, color: statusColors[status]},
				{text: String(code ?? '-').padStart(4), width: 5},
				{text: `${attempts}×`.padStart(4), width: 5, dim: true},
				{text: ` ${event}`, width: place.width - 31},
			];
		},
		empty: list.rows.length > 0 ? 'No deliveries yet. Press t to send a test.' : '',
	});

/** Selected delivery in full. */
export const deliveryPane: RenderPane = ({webhooks}, place) => recordPane('Delivery', webhooks, place);
