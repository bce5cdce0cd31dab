import {useEffect} from 'preact/hooks';
import {useSelector} from './context.js';
import {Dialogs} from './panes/dialogs.js';
import {FaultsView} from './panes/faults.js';
import {FeedBanner, Header, SkipLink} from './panes/header.js';
import {InboxList} from './panes/inboxes.js';
import {LoginPage} from './panes/login.js';
import {MessageView} from './panes/message/message.js';
import {InboxHead, MessageList} from './panes/messages/list.js';
import {Nowhere} from './panes/nowhere.js';
import {Back, Panes, ScreenPane} from './panes/panes.js';
import {Arrivals, NoticeBar, RemovalBar} from './panes/toasts.js';
import {WebhooksView} from './panes/webhooks.js';
import {titleOf} from './state/places.js';
import {mailRoute, type Route} from './state/route.js';

/** The whole page; nothing but the state decides it. */
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

/** Until the daemon said who is logged in. */
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
			<ScreenPane name="messages" label="Messages" back={<Back to={{screen: 'inboxes'}}>Inboxes</Back>}>
				<InboxHead />
				<MessageList />
			</ScreenPane>
			<ScreenPane name="message" label="Message" back={<Back to={list}>Messages</Back>}>
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
