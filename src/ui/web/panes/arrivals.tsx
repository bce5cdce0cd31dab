import {useEffect, useRef, useState} from 'preact/hooks';
import {sanitizeLine} from '../../../lib/sanitize.js';
import {unseenIn} from '../../core/unseen.js';
import type {WebState} from '../state/state.js';
import {useWeb} from '../web.js';

/** How often arrivals are told of: more of them cannot be listened to. */
const tellMs = 3000;

/** Tells those who do not see it that mail arrived, and in which inbox; of many mails how many they are. */
export function Arrivals() {
	const {store} = useWeb();
	const [told, setTold] = useState({text: '', number: 0});
	const before = useRef(countsOf(store.get()));
	useEffect(() => {
		const tell = () => {
			const counts = countsOf(store.get());
			const grown = [...counts].filter(([id, {count}]) => count > (before.current.get(id)?.count ?? 0));
			const arrived = grown.reduce((sum, [id, {count}]) => sum + count - (before.current.get(id)?.count ?? 0), 0);
			const [only] = grown.map(([, {name}]) => name);
			before.current = counts;
			const where = grown.length === 1 ? only : `${grown.length} inboxes`;
			const text = arrived === 0 ? '' : `${arrived} new ${arrived === 1 ? 'message' : 'messages'} in ${where}`;
			setTold(({number}) => ({text, number: number + 1}));
		};
		const timer = setInterval(tell, tellMs);
		return () => clearInterval(timer);
	}, [store]);
	return (
		<p class="visually-hidden" role="status" aria-label="New mail">
			{/* Another element each time: the same words again are to be told, too. */}
			<span key={told.number}>{told.text}</span>
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
