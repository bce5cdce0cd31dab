import {showEnd, switchFollow} from '../actions/message-list.js';
import {isFilter, keyOfPlace} from '../state/message-list.js';
import {listPlace, openList, shownRows} from '../state/open-list.js';
import {useWatched, useWeb} from '../web.js';
import {EmptyList} from './messages/empty.js';
import {FilterForm} from './messages/filter.js';
import {MessageRows} from './messages/rows.js';

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
