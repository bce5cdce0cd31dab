import {safeJson, sanitizeText} from '../../../../lib/sanitize.js';
import {sendAgain} from '../../actions/webhooks.js';
import type {MessageDelivery} from '../../state/message.js';
import type {OpenMessage} from '../../state/route.js';
import {useWeb} from '../../web.js';
import {PlaceLink} from '../link.js';
import {Status} from '../webhooks/status.js';
import {Time} from './head.js';
import {LongText} from './long-text.js';
import {PartView, usePart} from './part.js';

/** The deliveries that announce the message, each with what the receiver answered. */
export function WebhooksTab({open}: {readonly open: OpenMessage}) {
	return (
		<PartView open={open} name="deliveries" part={usePart(open, 'deliveries')} what="the deliveries">
			{deliveries =>
				deliveries.length === 0 ? (
					<p class="empty">
						No webhooks for this message. Create one: <code>tinbox webhooks create &lt;url&gt;</code>
					</p>
				) : (
					<ul class="deliveries">
						{deliveries.map(each => (
							<Delivery key={each.delivery.id} {...each} />
						))}
					</ul>
				)
			}
		</PartView>
	);
}

function Delivery({endpoint, delivery}: MessageDelivery) {
	const web = useWeb();
	const {id, attempts, response_status: code, response_body: response, payload} = delivery;
	return (
		<li class="delivery">
			<p class="summary">
				<Status delivery={delivery} /> {code ?? 'No response'}{' '}
				<PlaceLink to={{screen: 'webhooks', endpointId: endpoint.id, deliveryId: id}}>{endpoint.url}</PlaceLink>
				{!endpoint.is_active && ' (off)'}
			</p>
			<p class="note">
				{attempts} {attempts === 1 ? 'attempt' : 'attempts'}
				{delivery.last_attempt_at !== null && (
					<>
						, last at <Time iso={delivery.last_attempt_at} />
					</>
				)}
			</p>
			{response !== null && response !== '' && <Scrolled text={sanitizeText(response)} label="Response" />}
			<details>
				<summary>Payload</summary>
				<Scrolled text={safeJson(payload, 2)} label="Payload" />
			</details>
			<button type="button" class="small" onClick={() => void sendAgain(web, delivery)}>
				Redeliver
			</button>
		</li>
	);
}

function Scrolled({text, label}: {readonly text: string; readonly label: string}) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only what has the focus scrolls
		<section class="scrolled" aria-label={label} tabIndex={0}>
			<LongText text={text} />
		</section>
	);
}
