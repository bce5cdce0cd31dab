import {useRef} from 'preact/hooks';
import {isInbox} from '../../core/inboxes.js';
import {filterInboxList} from '../actions/inboxes.js';
import {isInboxListRead} from '../actions/select.js';
import {inboxesLeft, rowsLeft} from '../state/places.js';
import {mailRoute} from '../state/route.js';
import {useWatched, useWeb} from '../web.js';
import {CopyButton} from './copy-button.js';
import {InboxRows} from './inbox-rows.js';

/** The inboxes: which there are, what is new in them, and how many messages each has. */
export function InboxList() {
	const web = useWeb();
	const inboxes = useWatched(({inboxes}) => inboxes);
	const removals = useWatched(({removals}) => removals);
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
			<header class="list-head">
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
			{rows.length > 0 ? <InboxRows /> : <NoInboxes isFiltered={filter !== ''} />}
		</>
	);
}

function NoInboxes({isFiltered}: {readonly isFiltered: boolean}) {
	const isRead = useWatched(isInboxListRead);
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
