import {useEffect, useState} from 'preact/hooks';
import {feedWords} from '../../core/feed.js';
import {attempt} from '../actions/notices.js';
import {logOut} from '../actions/session.js';
import {useSelector, useWeb} from '../context.js';
import {focusOn, placeOfRoute} from '../keys/focus.js';
import {mailAt} from '../state/places.js';
import {PlaceLink} from './panes.js';

export function Header() {
	const web = useWeb();
	const screen = useSelector(({route}) => route.screen);
	const email = useSelector(({account}) => (account.status === 'in' ? account.email : ''));
	const lastPlace = useSelector(({inboxes}) => inboxes.shown.selected);
	return (
		<header class="head">
			<h1>
				<PlaceLink class="logo" to={{screen: 'inboxes'}}>
					tinbox
				</PlaceLink>
			</h1>
			<nav aria-label="Screens">
				<PlaceLink
					to={screen === 'mail' ? {screen: 'inboxes'} : mailAt(lastPlace)}
					aria-current={['webhooks', 'nowhere'].includes(screen) ? undefined : 'page'}
				>
					Mail
				</PlaceLink>
				<PlaceLink to={{screen: 'webhooks'}} aria-current={screen === 'webhooks' ? 'page' : undefined}>
					Webhooks
				</PlaceLink>
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
			<button type="button" class="plain" title={email} onClick={() => void attempt(web, async () => logOut(web))}>
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
		chooseTheme(next);
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

const storageKey = 'tinbox theme';

/** Theme that the user chose. */
function chosenTheme(): Theme {
	const stored = readStored();
	return themes.find(theme => theme === stored) ?? 'system';
}

/** Stores and shows a theme. If the browser stores nothing, it lasts until the page is closed. */
function chooseTheme(theme: Theme): void {
	try {
		localStorage.setItem(storageKey, theme);
	} catch {}

	showTheme(theme);
}

export function showTheme(theme = chosenTheme()): void {
	document.documentElement.dataset['theme'] = theme;
}

function readStored(): string | null {
	try {
		return localStorage.getItem(storageKey);
	} catch {
		return null;
	}
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
	const place = useSelector(({route}) => placeOfRoute(route));
	return (
		<button type="button" class="skip" onClick={() => focusOn(place)}>
			Skip to content
		</button>
	);
}
