import {areEndpointsRead} from '../../actions/read-webhooks.js';
import type {WebState} from '../../state/state.js';
import {openDelivery, openEndpoint, withEndpointsStale} from '../../state/webhooks.js';
import {useWatched} from '../../web.js';
import {Back, Panes, ScreenPane} from '../panes.js';
import {useRefresh} from '../refresh.js';
import {DeliveryList} from './deliveries.js';
import {OpenDelivery} from './delivery.js';
import {EndpointList} from './endpoints.js';

type WebhooksProps = {readonly endpointId?: string | undefined; readonly deliveryId?: string | undefined};

const readEndpoints = ({webhooks}: Pick<WebState, 'webhooks'>) => ({webhooks: withEndpointsStale(webhooks)});

/** The webhook endpoints of the user, the deliveries to one of them, and one of these. */
export function WebhooksView(chosen: WebhooksProps) {
	const {endpointId, deliveryId} = chosen;
	const webhooks = useWatched(({webhooks}) => webhooks);
	const endpoint = openEndpoint(webhooks, chosen);
	const delivery = openDelivery(webhooks, chosen);
	useRefresh(areEndpointsRead, readEndpoints);
	return (
		<Panes
			open={endpointId === undefined ? 'inboxes' : deliveryId === undefined ? 'messages' : 'message'}
			label="Endpoints"
			first={<EndpointList endpoints={webhooks.endpoints} open={endpoint?.id} />}
		>
			<ScreenPane name="messages" label="Deliveries" back={<Back to={{screen: 'webhooks'}}>Endpoints</Back>}>
				{endpoint && <DeliveryList endpoint={endpoint} open={typeof delivery === 'object' ? delivery.id : undefined} />}
				{webhooks.endpoints && endpointId !== undefined && !endpoint && (
					<p class="failure">This endpoint no longer exists.</p>
				)}
			</ScreenPane>
			<ScreenPane
				name="message"
				label="Delivery"
				back={<Back to={{screen: 'webhooks', endpointId: endpoint?.id}}>Deliveries</Back>}
			>
				{typeof delivery === 'string' ? (
					<p class="failure">{delivery}</p>
				) : (
					delivery && <OpenDelivery delivery={delivery} />
				)}
			</ScreenPane>
		</Panes>
	);
}
