import {useRef} from 'preact/hooks';
import type {InboxBody} from '../../../contract/inboxes.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {formatDuration} from '../../../lib/text/units.js';
import {clockTime} from '../../core/format.js';
import {type InboxRow, isInbox, unseenIn} from '../../core/inboxes.js';
import {filterInboxList, isInboxListRead} from '../actions/inboxes.js';
import {useSelector, useWeb} from '../context.js';
import {inboxesLeft, inboxRowIdOf, rowsLeft} from '../state/inbox-rows.js';
import {mailRoute} from '../state/route.js';
import {CopyButton, MarkedText, RouteLink} from './panes.js';
import {VirtualList} from './virtual-list.js';

/** List of inboxes with their unseen and total messages. */
export function InboxList() {
	const web = useWeb();
	const inboxes = useSelector(({inboxes}) => inboxes);
	const removals = useSelector(({removals}) => removals);
	const {filter} = inboxes;
	const all = inboxesLeft({inboxes, removals});
	const rows = rowsLeft({inboxes, removals});
	const field = useRef<HTMLInputElement>(null);
	const found = `${rows.length} of ${all.length}`;
	const setFilter = (text: string) => filterInboxList(web, text);
	const onKeyDown = (event: KeyboardEvent) => {
		const first = rows.find(isInbox);
		if (event.key === 'Escape' && filter !== '') {
			event.preventDefault();
			setFilter('');
		} else if (event.key === 'Enter' && first) {
			web.go(mailRoute(first.id));
		}
	};
	return (
		<>
			<header class="list-head row">
				<h2>Inboxes</h2>
				<span class="count" aria-hidden={filter !== ''}>
					{filter === '' ? all.length : found}
				</span>
				<span class="visually-hidden" role="status">
					{filter !== '' && `${found} inboxes`}
				</span>
				<button type="button" onClick={() => web.store.update({dialog: {type: 'new inbox'}})}>
					New <span class="visually-hidden">inbox</span>
				</button>
			</header>
			{inboxes.all.length > 1 && (
				<search class="list-filter">
					<input
						ref={field}
						id="inbox-filter"
						type="search"
						value={filter}
						placeholder="Filter by name or address"
						aria-label="Filter inboxes"
						autocomplete="off"
						spellcheck={false}
						onInput={event => setFilter(event.currentTarget.value)}
						onKeyDown={onKeyDown}
					/>
				</search>
			)}
			{rows.length > 0 ? <InboxRows rows={rows} all={all} filter={filter} /> : <NoInboxes isFiltered={filter !== ''} />}
		</>
	);
}

function NoInboxes({isFiltered}: {readonly isFiltered: boolean}) {
	const isRead = useSelector(isInboxListRead);
	if (!isRead) {
		return <p class="empty">Loading …</p>;
	}

	return isFiltered ? (
		<p class="empty">No inboxes match the filter.</p>
	) : (
		<div class="empty">
			<p>No inboxes yet. Create your first one, or run:</p>
			<p class="typed">
				<code>tinbox inbox create</code> <CopyButton text="tinbox inbox create" what="the command" />
			</p>
		</div>
	);
}

/** Height of a row in pixels, as in mail.css. */
const rowHeight = 48;

type RowsProps = {readonly rows: readonly InboxRow[]; readonly all: readonly InboxBody[]; readonly filter: string};

function InboxRows({rows, all, filter}: RowsProps) {
	const selected = useSelector(({route}) => inboxRowIdOf(route));
	const selectedIndex = rows.findIndex(({id}) => id === selected);
	return (
		<VirtualList
			class="inbox-rows"
			label="Inboxes"
			rowHeight={rowHeight}
			count={rows.length}
			active={selectedIndex < 0 ? undefined : {index: selectedIndex, id: `inbox-${selectedIndex}`}}
			target={{index: selectedIndex, number: selectedIndex + 1}}
		>
			{index => {
				const row = rows[index];
				return row ? (
					<RouteLink
						key={row.id}
						id={`inbox-${index}`}
						class="inbox-row"
						role="option"
						tabIndex={-1}
						to={mailRoute(isInbox(row) ? row.id : undefined)}
						aria-selected={row.id === selected}
						aria-posinset={index + 1}
						aria-setsize={rows.length}
					>
						<RowText row={row} all={all} filter={filter} />
					</RouteLink>
				) : null;
			}}
		</VirtualList>
	);
}

function RowText({row, all, filter}: Omit<RowsProps, 'rows'> & {readonly row: InboxRow}) {
	const unseen = useSelector(({unseen}) => unseen);
	const of = isInbox(row) ? [row] : all;
	const count = of.reduce((sum, inbox) => sum + inbox.message_count, 0);
	const fresh = of.reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
	const {name, facts} = isInbox(row)
		? textOf(row)
		: {name: 'All inboxes', facts: `${of.length.toLocaleString('en')} inboxes`};
	return (
		<>
			<span class={fresh > 0 ? 'name cut fresh' : 'name cut'}>
				<bdi>
					<MarkedText text={name} filter={filter} />
				</bdi>
			</span>
			<span class="counts">
				{fresh > 0 && (
					<span class="new">
						+{fresh}
						<span class="visually-hidden"> new of </span>
					</span>
				)}
				{count.toLocaleString('en')}
				<span class="visually-hidden"> {count === 1 ? 'message' : 'messages'}</span>
			</span>
			<span class="facts-line cut">
				<bdi>
					<MarkedText text={facts} filter={filter} />
				</bdi>
			</span>
		</>
	);
}

/** First line: name or address. Second line: further facts. */
function textOf({name, email_address: address, created_at: made, expires_at: end, ...inbox}: InboxBody) {
	const now = new Date();
	const facts = [
		name === null ? `created ${clockTime(made, now)}` : sanitizeLine(address),
		...(end === null ? [] : [`expires ${clockTime(end, now)}`]),
		...keepingText(inbox),
	];
	return {name: sanitizeLine(name ?? address), facts: facts.join(' · ')};
}

/** Retention limits of the inbox. */
function keepingText({keep, keep_for: seconds}: Pick<InboxBody, 'keep' | 'keep_for'>): readonly string[] {
	const subject = keep ? keep.toLocaleString('en') : 'mail';
	const time = seconds ? ` for ${formatDuration(seconds * 1000)}` : '';
	return keep || seconds ? [`keeps ${subject}${time}`] : [];
}
