import type {MessageFilter, MessageSummaryBody} from '../../../../contract/messages.js';
import {sanitizeLine} from '../../../../lib/text/sanitize.js';
import {ago, formatSize} from '../../../../lib/text/units.js';
import {markMatches, type TextRun} from '../../../core/filter.js';
import {clockTime} from '../../../core/format.js';
import {openMessage} from '../../actions/messages.js';
import {useWeb} from '../../context.js';
import type {ListPlace} from '../../state/message-list.js';
import {MarkedRuns, PlaceLink} from '../panes.js';

/** Maximum number of characters of a text in a row. */
const maxShown = 300;

/** Age up to which times are relative. */
const wordsMs = 60 * 60_000;

type RowProps = {
	readonly row: MessageSummaryBody;
	readonly place: ListPlace;
	/** Position, counted from 1. */
	readonly position: number;
	readonly total: number;
	readonly isOpen: boolean;
	readonly isNew: boolean;
	readonly now: Date;
	/** Name of the inbox in a list of all inboxes. */
	readonly inboxName: string | undefined;
};

/** Element id of a row. */
export function rowIdOf(messageId: string): string {
	return `mail-${messageId}`;
}

export function MailRow({row, place, position, total, isOpen, isNew, now, inboxName}: RowProps) {
	const web = useWeb();
	const {id, inbox_id: inboxId, size, received_at: at, subject} = row;
	const {filter} = place;
	return (
		<PlaceLink
			id={rowIdOf(id)}
			class={`mail-row${isNew ? ' new' : ''}`}
			role="option"
			aria-selected={isOpen}
			aria-posinset={position}
			aria-setsize={total}
			tabIndex={-1}
			to={{screen: 'mail', inboxId: place.inboxId, filter, open: {inboxId, messageId: id}}}
			onOpen={() => openMessage(web, row)}
		>
			<span class="dot" aria-hidden={!isNew}>
				{isNew && <span class="visually-hidden">new: </span>}
			</span>
			<bdi class="who" title={row.from}>
				{senderOf(row, filter)}
			</bdi>
			<time dateTime={at} title={new Date(at).toLocaleString()}>
				{timeOf(at, now)}
			</time>
			<bdi class="subject">
				{subject === '' ? (
					'(no subject)'
				) : (
					<Marked
						text={subject}
						wanted={[filter.q, isWhole(filter.subject, filter) ? undefined : filter.subject]}
						whole={isWhole(filter.subject, filter)}
					/>
				)}
			</bdi>
			<span class="size">
				{place.inboxId === undefined || filter.to !== undefined ? (
					<Recipient row={row} filter={filter} inboxName={inboxName} />
				) : (
					formatSize(size)
				)}
			</span>
		</PlaceLink>
	);
}

/** Name of the sender, or the address if there is no name or only the address matches the filter. */
function senderOf({from, from_name: name}: MessageSummaryBody, filter: MessageFilter) {
	const wanted = filter.from;
	const isMatch = (text: string) => wanted !== undefined && markMatches(text, wanted).some(({marked}) => marked);
	const shown = name && (wanted === undefined || isMatch(name) || !isMatch(from)) ? name : from || '(no sender)';
	const whole = isWhole(wanted, filter);
	return <Marked text={shown} wanted={[whole ? undefined : wanted]} whole={whole} />;
}

type RecipientProps = Pick<RowProps, 'row' | 'inboxName'> & {readonly filter: MessageFilter};

/** Name of the inbox, or the address if there is no name or the filter has a recipient. */
function Recipient({row: {to}, inboxName, filter}: RecipientProps) {
	const whole = isWhole(filter.to, filter);
	const shown = filter.to === undefined ? (inboxName ?? to) : to;
	return (
		<bdi>
			→ <Marked text={shown} wanted={[whole ? undefined : filter.to]} whole={whole} />
		</bdi>
	);
}

/** True if the filter matches whole values, or by a pattern that only the daemon evaluates. */
function isWhole(wanted: string | undefined, {match}: MessageFilter): boolean {
	return wanted !== undefined && (match === 'exact' || (match === 'pattern' && /^\/.+\/[a-z]*$/s.test(wanted)));
}

type MarkedProps = {
	readonly text: string;
	/** Texts whose occurrences are marked. */
	readonly wanted: ReadonlyArray<string | undefined>;
	readonly whole: boolean;
};

/** Text from outside as one line, with marked matches. */
function Marked({text, wanted, whole}: MarkedProps) {
	const shown = sanitizeLine(text.slice(0, maxShown));
	const runs = wanted
		.filter(text => text !== undefined)
		.reduce<readonly TextRun[]>(
			(all, wanted) => all.flatMap(run => (run.marked ? [run] : markMatches(run.text, wanted))),
			[{text: shown, marked: whole}],
		);
	return <MarkedRuns runs={runs} />;
}

function timeOf(iso: string, now: Date): string {
	return now.getTime() - Date.parse(iso) < wordsMs ? ago(iso, now) : clockTime(iso, now);
}
