import type {MessageFilter, MessageSummaryBody} from '../../../../contract/messages.js';
import {sanitizeLine} from '../../../../lib/text/sanitize.js';
import {ago, formatSize} from '../../../../lib/text/units.js';
import {markMatches, type TextRun} from '../../../core/filter.js';
import {clockTime} from '../../../core/format.js';
import {openMessage} from '../../actions/messages.js';
import {useWeb} from '../../context.js';
import type {ListPlace} from '../../state/message-list.js';
import {hrefOf} from '../../state/route.js';

/** Characters of a text that a row shows at most. */
const maxShown = 300;

/** How long ago times are told in words. */
const wordsMs = 60 * 60_000;

type RowProps = {
	readonly row: MessageSummaryBody;
	readonly place: ListPlace;
	/** Counted from 1, of so many; -1 when it is not known. */
	readonly position: number;
	readonly total: number;
	readonly isOpen: boolean;
	readonly isNew: boolean;
	readonly now: Date;
	/** The name of its inbox, where the list is that of all and it has one. */
	readonly inboxName: string | undefined;
};

/** The id of the element that shows a message in the list. */
export function rowIdOf(messageId: string): string {
	return `mail-${messageId}`;
}

export function MailRow({row, place, position, total, isOpen, isNew, now, inboxName}: RowProps) {
	const web = useWeb();
	const {id, inbox_id: inboxId, size, received_at: at, subject} = row;
	const {filter} = place;
	const href = hrefOf({screen: 'mail', inboxId: place.inboxId, filter, open: {inboxId, messageId: id}});
	const onClick = (event: MouseEvent) => {
		if (event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
			event.preventDefault();
			openMessage(web, row);
		}
	};
	return (
		<a
			id={rowIdOf(id)}
			class={`mail-row${isNew ? ' new' : ''}`}
			role="option"
			aria-selected={isOpen}
			aria-posinset={position}
			aria-setsize={total}
			href={href}
			tabIndex={-1}
			onClick={onClick}
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
		</a>
	);
}

/** The name of the sender; the address where there is no name, or only that fits the filter. */
function senderOf({from, from_name: name}: MessageSummaryBody, filter: MessageFilter) {
	const wanted = filter.from;
	const fits = (text: string) => wanted !== undefined && markMatches(text, wanted).some(({marked}) => marked);
	const shown = name && (wanted === undefined || fits(name) || !fits(from)) ? name : from || '(no sender)';
	const whole = isWhole(wanted, filter);
	return <Marked text={shown} wanted={[whole ? undefined : wanted]} whole={whole} />;
}

type RecipientProps = Pick<RowProps, 'row' | 'inboxName'> & {readonly filter: MessageFilter};

/** The inbox, by its name where it has one; the address where the filter asks for it. */
function Recipient({row: {to}, inboxName, filter}: RecipientProps) {
	const whole = isWhole(filter.to, filter);
	const shown = filter.to === undefined ? (inboxName ?? to) : to;
	return (
		<bdi>
			→ <Marked text={shown} wanted={[whole ? undefined : filter.to]} whole={whole} />
		</bdi>
	);
}

/** Whether the filter fits the value as a whole, or as only the daemon can tell. */
function isWhole(wanted: string | undefined, {match}: MessageFilter): boolean {
	return wanted !== undefined && (match === 'exact' || (match === 'pattern' && /^\/.+\/[a-z]*$/s.test(wanted)));
}

type MarkedProps = {
	readonly text: string;
	/** Texts that are marked wherever they are. */
	readonly wanted: ReadonlyArray<string | undefined>;
	readonly whole: boolean;
};

/** A text from outside, as one line, with what the filter found in it. */
function Marked({text, wanted, whole}: MarkedProps) {
	const shown = sanitizeLine(text.slice(0, maxShown));
	const runs = wanted
		.filter(wanted => wanted !== undefined)
		.reduce<readonly TextRun[]>(
			(all, wanted) => all.flatMap(run => (run.marked ? [run] : markMatches(run.text, wanted))),
			[{text: shown, marked: whole}],
		);
	return <>{runs.map(({text, marked}, index) => (marked ? <mark key={index}>{text}</mark> : text))}</>;
}

function timeOf(iso: string, now: Date): string {
	return now.getTime() - Date.parse(iso) < wordsMs ? ago(iso, now) : clockTime(iso, now);
}
