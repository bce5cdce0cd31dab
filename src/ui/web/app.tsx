import {useEffect, useRef, useState} from 'preact/hooks';
import {causeOf} from '../../lib/errors.js';
import {sanitizeLine} from '../../lib/text/sanitize.js';
import {inboxesNamed} from '../core/inboxes.js';
import {logIn} from './actions/session.js';
import {useSelector, useWeb} from './context.js';
import {Dialogs} from './panes/dialogs.js';
import {FaultsView} from './panes/faults.js';
import {Arrivals, FeedBanner, Header, NoticeBar, RemovalBar, SkipLink} from './panes/header.js';
import {InboxList} from './panes/inboxes.js';
import {MessageView} from './panes/message/message.js';
import {InboxHead, MessageList} from './panes/messages/list.js';
import {Panes, RouteLink, ScreenPane} from './panes/panes.js';
import {WebhooksView} from './panes/webhooks.js';
import {mailRoute, type Route} from './state/route.js';
import {titleOf} from './state/route-state.js';

/** Whole page as a function of the state. */
export function WebApp() {
	const status = useSelector(({account}) => account.status);
	useTitle();
	switch (status) {
		case 'out':
			return <LoginPage />;
		case 'unknown':
			return <Unknown />;
		case 'in':
			return (
				<>
					<SkipLink />
					<Header />
					<FeedBanner />
					<Screen />
					<Arrivals />
					<div class="toasts">
						<NoticeBar />
						<RemovalBar />
					</div>
					<Dialogs />
				</>
			);
	}
}

/** Page before the login status is known. */
function Unknown() {
	const feed = useSelector(({feed}) => feed);
	return (
		<main class="unknown" aria-busy="true">
			{feed.status === 'lost' && <p role="status">{feed.reason} Retrying …</p>}
		</main>
	);
}

function Screen() {
	const route = useSelector(({route}) => route);
	switch (route.screen) {
		case 'webhooks':
			return <WebhooksView endpointId={route.endpointId} deliveryId={route.deliveryId} />;
		case 'faults':
			return <FaultsView inboxId={route.inboxId} faultId={route.faultId} hitId={route.hitId} />;
		case 'nowhere':
			return <Nowhere route={route} />;
		default:
			return <Mail route={route} />;
	}
}

function Mail({route}: {readonly route: Extract<Route, {screen: 'inboxes' | 'mail'}>}) {
	const list = route.screen === 'mail' ? {...route, open: undefined} : mailRoute();
	const open = route.screen === 'inboxes' ? 'inboxes' : route.open ? 'message' : 'messages';
	return (
		<Panes open={open} label="Inboxes" first={<InboxList />}>
			<ScreenPane name="messages" label="Messages" back={['Inboxes', {screen: 'inboxes'}]}>
				<InboxHead />
				<MessageList />
			</ScreenPane>
			<ScreenPane name="message" label="Message" back={['Messages', list]}>
				<MessageView />
			</ScreenPane>
		</Panes>
	);
}

function useTitle(): void {
	const title = useSelector(titleOf);
	useEffect(() => {
		document.title = title;
	}, [title]);
}

type NowhereProps = {readonly route: Extract<Route, {screen: 'nowhere'}>};

/** Page for unknown paths. */
function Nowhere({route: {href, inboxName}}: NowhereProps) {
	const all = useSelector(({inboxes}) => inboxes.all);
	const named = inboxName === undefined ? [] : inboxesNamed(all, inboxName);
	return (
		<Panes open="messages" label="Inboxes" first={<InboxList />}>
			<ScreenPane name="messages" label="Not found" back={['Inboxes', {screen: 'inboxes'}]}>
				<section class="nowhere">
					<h2>
						{inboxName === undefined ? (
							'Page not found'
						) : (
							<>
								{named.length > 0 ? 'Inboxes named' : 'No inbox named'} <bdi>“{sanitizeLine(inboxName)}”</bdi>
							</>
						)}
					</h2>
					{named.map(({id, email_address: address}) => (
						<p key={id}>
							<RouteLink to={mailRoute(id)}>
								<bdi>{sanitizeLine(address)}</bdi>
							</RouteLink>
						</p>
					))}
					{named.length === 0 && (
						<p>
							Nothing exists at <code>{sanitizeLine(href)}</code>.
						</p>
					)}
					<p>
						<RouteLink to={{screen: 'inboxes'}}>Go to the inboxes</RouteLink>
					</p>
				</section>
			</ScreenPane>
		</Panes>
	);
}

/** Login by an API key or a token. The route stays the same. */
function LoginPage() {
	const web = useWeb();
	const reason = useSelector(({notice}) => notice?.text ?? '');
	const [failure, setFailure] = useState('');
	const [isBusy, setBusy] = useState(false);
	const field = useRef<HTMLInputElement>(null);
	useEffect(() => field.current?.focus(), []);
	const onSubmit = async (event: SubmitEvent) => {
		event.preventDefault();
		setBusy(true);
		setFailure('');
		try {
			await logIn(web, field.current?.value.trim() ?? '');
		} catch (error) {
			setFailure(causeOf(error));
			setBusy(false);
			field.current?.select();
		}
	};
	return (
		<main class="login">
			<form onSubmit={onSubmit}>
				<h1>tinbox</h1>
				<label for="secret">API key or token</label>
				<input
					id="secret"
					type="password"
					ref={field}
					required
					autocomplete="current-password"
					spellcheck={false}
					aria-describedby="secret-help"
					aria-invalid={failure !== ''}
				/>
				<p class="failure" role="alert">
					{failure || reason}
				</p>
				<button type="submit" class="main" disabled={isBusy}>
					Log in
				</button>
				<p id="secret-help" class="help">
					Run <code>tinbox open</code> to open this page logged in, or <code>tinbox daemon start --format env</code> to
					print a key.
				</p>
			</form>
		</main>
	);
}
