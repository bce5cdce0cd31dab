import type {DeliveryBody} from '../../../../contract/webhooks.js';
import {safeJson, showControls} from '../../../../lib/sanitize.js';
import {deliveryFacts, responseWord} from '../../../core/webhooks.js';
import {sendAgain} from '../../actions/webhooks.js';
import {useWeb} from '../../web.js';
import {CopyButton} from '../copy-button.js';
import {FactTable} from '../facts.js';

/** What was sent, what was answered, how often it was tried. */
export function OpenDelivery({delivery}: {readonly delivery: DeliveryBody}) {
	const web = useWeb();
	const {id, response_status: code, response_body: answer, payload} = delivery;
	return (
		<section class="record">
			<header class="pane-bar">
				<h2>Delivery</h2>
				<CopyButton text={id} what="of the delivery">
					Copy ID
				</CopyButton>
				<button type="button" onClick={() => void sendAgain(web, delivery)}>
					Redeliver
				</button>
			</header>
			<FactTable facts={deliveryFacts(delivery)} />
			<h3>{responseWord(delivery)}</h3>
			{answer && <pre>{showControls(answer)}</pre>}
			{!answer && code !== null && <p class="note">Empty body.</p>}
			<h3>Payload</h3>
			<pre>{safeJson(payload, 2)}</pre>
		</section>
	);
}
