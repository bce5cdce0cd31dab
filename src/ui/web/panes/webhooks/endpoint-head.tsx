import type {EndpointBody} from '../../../../contract/webhooks.js';
import {sanitizeLine} from '../../../../lib/sanitize.js';
import {askToRemoveEndpoint, hideSecret, sendTest, switchEndpoint} from '../../actions/webhooks.js';
import {useWatched, useWeb} from '../../web.js';
import {CopyButton} from '../copy-button.js';

/** The endpoint, what can be done with it, and once, when it is new, its secret. */
export function EndpointHead({endpoint}: {readonly endpoint: EndpointBody}) {
	const web = useWeb();
	const secret = useWatched(({webhooks: {made}}) => (made?.id === endpoint.id ? made.secret : undefined));
	const {url, events, is_active: isActive} = endpoint;
	return (
		<header class="pane-bar">
			<h2>
				<bdi>{sanitizeLine(url)}</bdi>
			</h2>
			<p class="note">{events.join(', ')}</p>
			<p class="bar-actions">
				<button
					type="button"
					role="switch"
					aria-checked={isActive}
					title={isActive ? 'Deliveries are sent.' : 'Deliveries wait until you turn the endpoint on.'}
					onClick={() => void switchEndpoint(web, endpoint, !isActive)}
				>
					<span class="visually-hidden">Deliveries: </span>
					{isActive ? 'On' : 'Off'}
				</button>
				<button type="button" onClick={() => void sendTest(web, endpoint)}>
					Test
				</button>
				<button type="button" class="danger" onClick={() => askToRemoveEndpoint(web, endpoint)}>
					Delete<span class="visually-hidden"> endpoint</span>
				</button>
			</p>
			{secret !== undefined && <Secret secret={secret} />}
		</header>
	);
}

function Secret({secret}: {readonly secret: string}) {
	const web = useWeb();
	return (
		<div class="secret" role="status">
			<p>Signing secret. Copy it now, it is not shown again:</p>
			<p class="secret-line">
				<code>{secret}</code>
				<CopyButton text={secret} what="the secret" />
				<button type="button" onClick={() => hideSecret(web)}>
					Done
				</button>
			</p>
		</div>
	);
}
