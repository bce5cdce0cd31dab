import {useEffect, useRef, useState} from 'preact/hooks';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {unseenIn} from '../../core/inboxes.js';
import {undoRemoval} from '../actions/removals.js';
import {useSelector, useWeb} from '../context.js';
import type {WebState} from '../state/state.js';

/** Time after which a notice disappears; errors stay until the user closes them. */
const shownMs = 6000;

/** Last notice, also announced to screen readers. */
export function NoticeBar() {
	const {store} = useWeb();
	const notice = useSelector(({notice}) => notice);
	const close = () => store.update({notice: undefined});
	useEffect(() => {
		const end = () => store.update({notice: undefined});
		const timer = notice?.tone === 'info' ? setTimeout(end, shownMs) : undefined;
		return () => clearTimeout(timer);
	}, [notice, store]);
	return (
		<div class="notices">
			{(['info', 'error'] as const).map(tone => (
				<div key={tone} role={tone === 'error' ? 'alert' : 'status'}>
					{notice?.tone === tone && (
						<p class={`notice ${tone}`}>
							<span>{notice.text}</span>
							<button type="button" class="plain" aria-label="Close" onClick={close}>
								✕
							</button>
						</p>
					)}
				</div>
			))}
		</div>
	);
}

/** Pending deletes with buttons to undo them. */
export function RemovalBar() {
	const web = useWeb();
	const removals = useSelector(({removals}) => removals);
	return (
		<div class="removals" role="status" aria-atomic="false">
			{removals.slice(-3).map(removal => (
				<p class="notice" key={`${removal.kind} ${removal.id}`}>
					<span id={`removed-${removal.kind}-${removal.id}`}>
						Deleted <bdi>{removal.what}</bdi>.
					</span>
					<button
						type="button"
						aria-describedby={`removed-${removal.kind}-${removal.id}`}
						aria-keyshortcuts="z"
						onClick={() => undoRemoval(web, removal)}
					>
						Undo
					</button>
				</p>
			))}
		</div>
	);
}

/** Interval between announcements. */
const announceMs = 3000;

/** Announces new mail to screen readers. */
export function Arrivals() {
	const {store} = useWeb();
	const [announced, setAnnounced] = useState({text: '', number: 0});
	const before = useRef(countsOf(store.get()));
	useEffect(() => {
		const announce = () => {
			const counts = countsOf(store.get());
			const grown = [...counts].filter(([id, {count}]) => count > (before.current.get(id)?.count ?? 0));
			const arrived = grown.reduce((sum, [id, {count}]) => sum + count - (before.current.get(id)?.count ?? 0), 0);
			const [only] = grown.map(([, {name}]) => name);
			before.current = counts;
			const where = grown.length === 1 ? only : `${grown.length} inboxes`;
			const text = arrived === 0 ? '' : `${arrived} new ${arrived === 1 ? 'message' : 'messages'} in ${where}`;
			setAnnounced(({number}) => ({text, number: number + 1}));
		};
		const timer = setInterval(announce, announceMs);
		return () => clearInterval(timer);
	}, [store]);
	return (
		<p class="visually-hidden" role="status" aria-label="New mail">
			{/* A new element each time, because repeated text must be announced, too. */}
			<span key={announced.number}>{announced.text}</span>
		</p>
	);
}

function countsOf({inboxes, unseen}: WebState) {
	return new Map(
		inboxes.all
			.map(inbox => ({
				id: inbox.id,
				name: sanitizeLine(inbox.name ?? inbox.email_address),
				count: unseenIn(unseen, inbox),
			}))
			.map(({id, ...rest}) => [id, rest] as const),
	);
}
