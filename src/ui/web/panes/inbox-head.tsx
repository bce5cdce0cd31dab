import type {InboxBody} from '../../../contract/inboxes.js';
import {sanitizeLine} from '../../../lib/sanitize.js';
import {attempt} from '../actions/attempt.js';
import {emptyInbox, removeInbox} from '../actions/removals.js';
import {useWatched, useWeb} from '../web.js';
import {CopyButton} from './copy-button.js';
import {PlaceLink} from './link.js';

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
