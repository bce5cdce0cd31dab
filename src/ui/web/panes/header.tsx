import {useEffect, useState} from 'preact/hooks';
import {feedWords} from '../../core/feed.js';
import {attempt} from '../actions/attempt.js';
import {logOut} from '../actions/session.js';
import {mailAt} from '../state/places.js';
import {chooseTheme, chosenTheme, themes} from '../theme.js';
import {useWatched, useWeb} from '../web.js';
import {Icon} from './icons.js';
import {PlaceLink} from './link.js';

export function Header() {
	const web = useWeb();
	const screen = useWatched(({route}) => route.screen);
	const email = useWatched(({account}) => (account.status === 'in' ? account.email : ''));
	const lastPlace = useWatched(({inboxes}) => inboxes.shown.selected);
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
	const feed = useWatched(({feed}) => feed);
	return (
		<p class={`feed ${feed.status}`}>
			<span aria-hidden="true">{signs[feed.status]}</span> <span class="visually-hidden">Connection: </span>
			<span class="word">{feedWords[feed.status]}</span>
		</p>
	);
}

/** A connection that is back sooner is not worth a word: the daemon ends it when what one may see has changed. */
const patienceMs = 700;

/** Says that what is shown may be old by now; and, to those who do not see that this is gone, that it is not. */
export function FeedBanner() {
	const feed = useWatched(({feed}) => feed);
	const isLost = feed.status === 'lost';
	const [said, setSaid] = useState<'lost' | 'back'>();
	useEffect(() => {
		const say = () => setSaid(before => (isLost ? 'lost' : before && 'back'));
		const timer = setTimeout(say, isLost ? patienceMs : 0);
		return () => clearTimeout(timer);
	}, [isLost]);
	return (
		<div role="status">
			{said === 'lost' && isLost && (
				<p class="feed-banner">
					<b>Disconnected. Reconnecting …</b> {feed.reason}
				</p>
			)}
			{said === 'back' && feed.status === 'live' && <p class="visually-hidden">Reconnected to the daemon.</p>}
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
