import {useEffect, useLayoutEffect, useMemo, useRef, useState} from 'preact/hooks';
import type {InboxBody} from '../../../../contract/inboxes.js';
import {sanitizeLine} from '../../../../lib/text/sanitize.js';
import {showEnd, switchFollow} from '../../actions/message-list.js';
import {attempt} from '../../actions/notices.js';
import {emptyInbox, removeInbox} from '../../actions/removals.js';
import {useWatched, useWeb} from '../../context.js';
import {isFilter, keyOfPlace, type ListPlace, sticksToNewest, withView} from '../../state/message-list.js';
import {listPlace, openIn, openList, type ShownRows, shownRows, updatedList} from '../../state/open-list.js';
import {CopyButton} from '../copy-button.js';
import {PlaceLink} from '../panes.js';
import {EmptyList} from './empty.js';
import {FilterForm} from './filter.js';
import {MailRow, rowIdOf} from './row.js';

/** The messages of an inbox, or of all. */
export function MessageList() {
	const web = useWeb();
	useWatched(({list}) => list);
	useWatched(({inboxes}) => inboxes);
	useWatched(({removals}) => removals);
	useWatched(({route}) => route);
	const state = web.store.get();
	const place = listPlace(state);
	if (place === undefined) {
		return null;
	}

	const shown = shownRows(state);
	const isEmpty = shown.isRead && shown.total === 0 && shown.isComplete;
	const {above, follow, problem} = openList(state);
	const isFiltered = isFilter(place.filter);
	const count = countOf(shown, isFiltered);
	return (
		<section class="mails" aria-busy={!shown.isRead}>
			<FilterForm key={place.inboxId ?? ''} filter={place.filter} problem={problem}>
				<button
					type="button"
					class="plain"
					aria-pressed={follow}
					title="Open each new message as it arrives (f)"
					onClick={() => switchFollow(web)}
				>
					Auto-open<span class="visually-hidden"> new mail</span>
				</button>
			</FilterForm>
			<div class="mails-list">
				{above > 0 && (
					<button type="button" class="main above" onClick={() => showEnd(web, 'newest')}>
						{above.toLocaleString('en')} new <span aria-hidden="true">↑</span>
					</button>
				)}
				{isEmpty && problem === undefined ? (
					<EmptyList place={place} />
				) : (
					<MessageRows key={keyOfPlace(place)} place={place} shown={shown} />
				)}
			</div>
			<p class="mails-count help" aria-hidden={isFiltered}>
				{count}
			</p>
			<p class="visually-hidden" role="status">
				{isFiltered && shown.isRead && problem === undefined && (count || 'No messages found')}
			</p>
		</section>
	);
}

function countOf({total, isComplete, isRead}: ReturnType<typeof shownRows>, isFiltered: boolean): string {
	const count = `${total.toLocaleString('en')}${isComplete ? '' : '+'} ${total === 1 && isComplete ? 'message' : 'messages'}`;
	return isRead && total > 0 ? (isFiltered ? `${count} found` : count) : '';
}

/** Pixels; as in the style sheet. */
const rowHeight = 56;

/** Rows beyond those in view that are in the page. */
const beside = 6;

/** How long scrolling has to rest before what it shows is read, and how long it is read at last when it does not. */
const restMs = 60;
const longestMs = 200;

/** How often times are told anew. */
const clockMs = 20_000;

type RowsProps = {readonly place: ListPlace; readonly shown: ShownRows};

/** A long list, of which only what is in view is in the page. What is in view stays there, whatever comes above it. */
function MessageRows({place, shown}: RowsProps) {
	const box = useRef<HTMLDivElement>(null);
	const [range, setRange] = useState({start: 0, end: 40});
	const now = useNow();
	const openId = useWatched(state => openIn(state)?.messageId);
	const unseen = useWatched(({unseen}) => unseen);
	const inboxes = useWatched(({inboxes}) => inboxes.all);
	const names = useMemo(() => new Map(inboxes.map(({id, name}) => [id, name ?? undefined])), [inboxes]);
	const {total, top, rows, isComplete} = shown;
	const count = total + (isComplete ? 0 : 1);
	const look = useLook(box, setRange);
	usePlaces(box, shown);
	useWanted(box);

	const start = Math.min(range.start, Math.max(0, count - 1));
	const indexes = Array.from({length: Math.max(0, Math.min(range.end, count) - start)}, (_, offset) => start + offset);
	return (
		<div
			ref={box}
			class="mail-rows"
			role="listbox"
			aria-label="Messages"
			tabIndex={0}
			aria-activedescendant={
				openId && indexes.some(index => rows[index - top]?.id === openId) ? rowIdOf(openId) : undefined
			}
			onScroll={look}
		>
			<div class="mail-rows-all" role="presentation" style={{height: `${count * rowHeight}px`}}>
				{indexes.map(index => {
					const row = rows[index - top];
					const style = {transform: `translateY(${index * rowHeight}px)`};
					return row ? (
						<MailRow
							key={row.id}
							row={row}
							place={place}
							style={style}
							position={index + 1}
							total={isComplete ? total : -1}
							isOpen={row.id === openId}
							isNew={unseen.get(row.inbox_id)?.ids.has(row.id) ?? false}
							now={now}
							inboxName={place.inboxId === undefined ? names.get(row.inbox_id) : undefined}
						/>
					) : (
						<div key={`place ${index}`} class="mail-row reading" style={style} aria-hidden="true" />
					);
				})}
			</div>
		</div>
	);
}

type Box = {readonly current: HTMLDivElement | null};

/** What finds out what is in view, once a frame, and tells the state of it when scrolling rests. */
function useLook(box: Box, setRange: (range: {start: number; end: number}) => void): () => void {
	const {store} = useWeb();
	const work = useRef({frame: 0, timer: 0, told: 0});
	const [look] = useState(() => () => {
		const view = viewOf(box.current);
		const tell = () => {
			work.current.told = performance.now();
			const inView = viewOf(box.current);
			if (inView) {
				store.update(state => updatedList(state, list => withView(list, inView)));
			}
		};
		if (!view) {
			return;
		}

		const known = openList(store.get()).view;
		clearTimeout(work.current.timer);
		if ((view.start === 0) !== (known.start === 0) || performance.now() - work.current.told > longestMs) {
			tell();
		} else {
			work.current.timer = window.setTimeout(tell, restMs);
		}

		cancelAnimationFrame(work.current.frame);
		work.current.frame = requestAnimationFrame(() => {
			const {start, end} = viewOf(box.current) ?? view;
			setRange({start: Math.max(0, start - beside), end: end + beside});
		});
	});
	useEffect(() => {
		const observer = new ResizeObserver(look);
		for (const element of [box.current, box.current?.firstElementChild]) {
			if (element) {
				observer.observe(element);
			}
		}

		return () => {
			observer.disconnect();
			clearTimeout(work.current.timer);
			cancelAnimationFrame(work.current.frame);
		};
	}, [box, look]);
	return look;
}

function viewOf(box: HTMLDivElement | null): {start: number; end: number} | undefined {
	return box?.clientHeight
		? {
				start: Math.floor(box.scrollTop / rowHeight),
				end: Math.ceil((box.scrollTop + box.clientHeight) / rowHeight),
			}
		: undefined;
}

/** Keeps the first row that is in view where it is, when others come or go above it. */
function usePlaces(box: Box, {top, rows}: ShownRows): void {
	const {store} = useWeb();
	const before = useRef({top, rows});
	useLayoutEffect(() => {
		const {current} = box;
		const was = before.current;
		before.current = {top, rows};
		if (!current || (was.rows === rows && was.top === top)) {
			return;
		}

		const state = store.get();
		const first = Math.floor(current.scrollTop / rowHeight);
		if (
			current.scrollTop < rowHeight &&
			sticksToNewest({...openList(state), view: {start: first, end: first}}, openIn(state) !== undefined)
		) {
			return;
		}

		const places = new Map(rows.map(({id}, index) => [id, top + index]));
		for (let index = Math.max(0, first - was.top); index < was.rows.length; index++) {
			const now = places.get(was.rows[index]?.id ?? '');
			if (now !== undefined) {
				current.scrollTop += (now - was.top - index) * rowHeight;
				return;
			}
		}
	});
}

/** Scrolls to the row that is asked for. */
function useWanted(box: Box): void {
	const wanted = useWatched(({list}) => list.wanted);
	const done = useRef(wanted.number);
	useLayoutEffect(() => {
		const {current} = box;
		if (!current || done.current === wanted.number) {
			return;
		}

		done.current = wanted.number;
		const from = wanted.index * rowHeight;
		const to = from + rowHeight - current.clientHeight;
		current.scrollTop = Math.min(from, Math.max(to, current.scrollTop));
	}, [box, wanted]);
}

function useNow(): Date {
	const [now, setNow] = useState(() => new Date());
	useEffect(() => {
		const timer = setInterval(() => setNow(new Date()), clockMs);
		return () => clearInterval(timer);
	}, []);
	return now;
}

/** What the list of messages is of, and what can be done with it. */
export function InboxHead() {
	const inboxId = useWatched(({route}) => (route.screen === 'mail' ? route.inboxId : undefined));
	const inbox = useWatched(({inboxes}) => inboxes.all.find(({id}) => id === inboxId));
	const isAll = useWatched(({route}) => route.screen === 'mail' && route.inboxId === undefined);
	return (
		<header class="inbox-head">
			{inbox ? <OfInbox key={inbox.id} inbox={inbox} /> : isAll ? <OfAll /> : <h2>Messages</h2>}
		</header>
	);
}

function OfAll() {
	return (
		<div class="title">
			<h2>All inboxes</h2>
			<PlaceLink class="button plain small" to={{screen: 'faults', inboxId: null}}>
				Faults<span class="visually-hidden"> for the daemon</span>
			</PlaceLink>
		</div>
	);
}

function OfInbox({inbox}: {readonly inbox: InboxBody}) {
	const web = useWeb();
	const {id, name, email_address: address} = inbox;
	return (
		<>
			<div class="title">
				<h2>
					<bdi>{sanitizeLine(name ?? address)}</bdi>
				</h2>
				<CopyButton text={address} what="of the inbox">
					Copy address
				</CopyButton>
			</div>
			<div class="more">
				{name !== null && (
					<code>
						<bdi>{sanitizeLine(address)}</bdi>
					</code>
				)}
				<span class="actions">
					<button
						type="button"
						class="plain small"
						onClick={() => web.store.update({dialog: {type: 'smtp login', inboxId: id}})}
					>
						SMTP login
					</button>
					<PlaceLink class="button plain small" to={{screen: 'faults', inboxId: id}}>
						Faults
					</PlaceLink>
					<button
						type="button"
						class="plain small"
						onClick={() => void attempt(web, async () => emptyInbox(web, inbox))}
					>
						Delete all messages<span class="visually-hidden"> of the inbox</span>
					</button>
					<button type="button" class="plain small" onClick={() => removeInbox(web, inbox)}>
						Delete inbox
					</button>
				</span>
			</div>
		</>
	);
}
