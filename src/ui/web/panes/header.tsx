import {useEffect, useRef, useState} from 'preact/hooks';
import type {InboxBody} from '../../../contract/inboxes.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {feedWords} from '../../core/feed.js';
import {unseenIn} from '../../core/inboxes.js';
import {attempt} from '../actions/notices.js';
import {undoRemoval} from '../actions/removals.js';
import {logOut} from '../actions/session.js';
import {browserStorage} from '../api.js';
import {useSelector, useWeb} from '../context.js';
import {focusOn, paneOfRoute} from '../keys/focus.js';
import {routeOfRow} from '../state/inbox-rows.js';
import type {WebState} from '../state/state.js';
import {RouteLink} from './panes.js';

export function Header() {
	const web = useWeb();
	const screen = useSelector(({route}) => route.screen);
	const email = useSelector(({account}) => (account.status === 'in' ? account.email : ''));
	const lastRow = useSelector(({inboxes}) => inboxes.shown.selected);
	return (
		<header class="head row">
			<h1>
				<RouteLink class="logo" to={{screen: 'inboxes'}}>
					tinbox
				</RouteLink>
			</h1>
			<nav aria-label="Screens">
				<RouteLink
					class="row"
					to={screen === 'mail' ? {screen: 'inboxes'} : routeOfRow(lastRow)}
					aria-current={['webhooks', 'nowhere'].includes(screen) ? undefined : 'page'}
				>
					Mail
				</RouteLink>
				<RouteLink class="row" to={{screen: 'webhooks'}} aria-current={screen === 'webhooks' ? 'page' : undefined}>
					Webhooks
				</RouteLink>
			</nav>
			<Feed />
			<ThemeSwitch />
			<button
				type="button"
				class="plain"
				aria-keyshortcuts="?"
				onClick={() => web.store.update({dialog: {type: 'help'}})}
			>
				<span aria-hidden="true">
					<kbd>?</kbd>
				</span>{' '}
				<span class="word">Shortcuts</span>
			</button>
			<p class="account">
				<span class="visually-hidden">Logged in as </span>
				<bdi title={email}>{sanitizeLine(email)}</bdi>
			</p>
			<button type="button" class="plain" onClick={() => void attempt(web, async () => logOut(web))}>
				<Icon of="log out" /> <span class="word">Log out</span>
			</button>
		</header>
	);
}

const signs = {live: '●', connecting: '○', lost: '✗'} as const;

function Feed() {
	const feed = useSelector(({feed}) => feed);
	return (
		<p class={`feed ${feed.status}`}>
			<span aria-hidden="true">{signs[feed.status]}</span> <span class="visually-hidden">Connection: </span>
			<span class="word">{feedWords[feed.status]}</span>
		</p>
	);
}

/** Delay before the banner appears. The daemon briefly ends the connection when permissions change. */
const bannerDelayMs = 700;

/** Banner while the feed is lost; announces its return to screen readers. */
export function FeedBanner() {
	const feed = useSelector(({feed}) => feed);
	const isLost = feed.status === 'lost';
	const [shown, setShown] = useState<'lost' | 'back'>();
	useEffect(() => {
		const update = () => setShown(before => (isLost ? 'lost' : before && 'back'));
		const timer = setTimeout(update, isLost ? bannerDelayMs : 0);
		return () => clearTimeout(timer);
	}, [isLost]);
	return (
		<div role="status">
			{shown === 'lost' && isLost && (
				<p class="feed-banner">
					<b>Disconnected. Reconnecting …</b> {feed.reason}
				</p>
			)}
			{shown === 'back' && feed.status === 'live' && <p class="visually-hidden">Reconnected to the daemon.</p>}
		</div>
	);
}

function ThemeSwitch() {
	const [theme, setTheme] = useState(chosenTheme);
	const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
	const onClick = () => {
		storage.set(next);
		showTheme(next);
		setTheme(next);
	};
	return (
		<button type="button" class="plain" title={`Theme: ${theme}. Switch to ${next}`} onClick={onClick}>
			<Icon of={theme} />
		</button>
	);
}

/** Color themes; `system` follows the operating system. */
const themes = ['system', 'light', 'dark'] as const;

type Theme = (typeof themes)[number];

const storage = browserStorage('tinbox theme');

/** Theme that the user chose. */
function chosenTheme(): Theme {
	const stored = storage.get();
	return themes.find(theme => theme === stored) ?? 'system';
}

export function showTheme(theme = chosenTheme()): void {
	document.documentElement.dataset['theme'] = theme;
}

const shapes: Readonly<Record<Theme | 'log out', string>> = {
	system: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm0 1.5v10A5 5 0 0 1 8 3Z',
	light:
		'M8 4.75a3.25 3.25 0 1 0 0 6.5 3.25 3.25 0 0 0 0-6.5ZM7.3.9h1.4v2H7.3Zm0 12.2h1.4v2H7.3ZM.9 7.3h2v1.4h-2Zm12.2 0h2v1.4h-2ZM2.5 3.5l1-1 1.4 1.4-1 1Zm8.6 8.6 1-1 1.4 1.4-1 1ZM2.5 12.5l1.4-1.4 1 1-1.4 1.4Zm8.6-8.6 1.4-1.4 1 1-1.4 1.4Z',
	dark: 'M6.2 1.6A6.5 6.5 0 1 0 14.4 9.8 5.6 5.6 0 0 1 6.2 1.6Z',
	'log out': 'M2 2h7v1.5H3.5v9H9V14H2Zm8.2 2.6L14 8l-3.8 3.4-1-1.1L10.9 8.75H6v-1.5h4.9L9.2 5.7Z',
};

/** Icon, hidden from screen readers. */
function Icon({of}: {readonly of: keyof typeof shapes}) {
	return (
		<svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
			<path d={shapes[of]} fill-rule="evenodd" />
		</svg>
	);
}

/** Link for keyboard users that skips the header. */
export function SkipLink() {
	const pane = useSelector(({route}) => paneOfRoute(route));
	return (
		<button type="button" class="skip" onClick={() => focusOn(pane)}>
			Skip to content
		</button>
	);
}

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
						<p class={`notice row ${tone}`}>
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
				<p class="notice row" key={`${removal.kind} ${removal.id}`}>
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
	const entryOf = (inbox: InboxBody) =>
		[inbox.id, {name: sanitizeLine(inbox.name ?? inbox.email_address), count: unseenIn(unseen, inbox)}] as const;
	return new Map(inboxes.all.map(entryOf));
}
