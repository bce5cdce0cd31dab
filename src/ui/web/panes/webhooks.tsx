import {deliveryStatuses, maxLimit, webhookEvents} from '../../../contract/constants.js';
import type {DeliveryBody, EndpointBody} from '../../../contract/webhooks.js';
import {safeJson, sanitizeLine, showControls} from '../../../lib/text/sanitize.js';
import {clockTime} from '../../core/format.js';
import {withStaleList} from '../../core/list.js';
import {deliveryFacts, responseWord, statusWord, statusWords, webhookCommand} from '../../core/webhooks.js';
import {
	areEndpointsRead,
	askToDeleteEndpoint,
	deliveryPageOf,
	hideSecret,
	openDelivery,
	openEndpoint,
	queryDeliveries,
	queryOfEndpoint,
	redeliver,
	sendTest,
	switchEndpoint,
} from '../actions/webhooks.js';
import {useSelector, useWeb} from '../context.js';
import type {DeliveryQuery, WebState} from '../state/state.js';
import {CopyButton, FactTable, OptionList, Panes, ScreenPane, useRefresh} from './panes.js';

type WebhooksProps = {readonly endpointId?: string | undefined; readonly deliveryId?: string | undefined};

const readEndpoints = ({webhooks}: Pick<WebState, 'webhooks'>) => ({webhooks: withStaleList(webhooks)});

/** Screen with the webhook endpoints, the deliveries to one of them, and an open delivery. */
export function WebhooksView(chosen: WebhooksProps) {
	const {endpointId, deliveryId} = chosen;
	const webhooks = useSelector(({webhooks}) => webhooks);
	const endpoint = openEndpoint(webhooks, chosen);
	const delivery = openDelivery(webhooks, chosen);
	useRefresh(areEndpointsRead, readEndpoints);
	return (
		<Panes
			open={endpointId === undefined ? 'inboxes' : deliveryId === undefined ? 'messages' : 'message'}
			label="Endpoints"
			first={<EndpointList endpoints={webhooks.endpoints} open={endpoint?.id} />}
		>
			<ScreenPane name="messages" label="Deliveries" back={['Endpoints', {screen: 'webhooks'}]}>
				{endpoint && <DeliveryList endpoint={endpoint} open={typeof delivery === 'object' ? delivery.id : undefined} />}
				{webhooks.endpoints && endpointId !== undefined && !endpoint && (
					<p class="failure">This endpoint no longer exists.</p>
				)}
			</ScreenPane>
			<ScreenPane name="message" label="Delivery" back={['Deliveries', {screen: 'webhooks', endpointId: endpoint?.id}]}>
				{typeof delivery === 'string' ? (
					<p class="failure">{delivery}</p>
				) : (
					delivery && <OpenDelivery delivery={delivery} />
				)}
			</ScreenPane>
		</Panes>
	);
}

const meanings = {
	pending: 'No attempt yet.',
	delivered: 'The receiver accepted it.',
	failed: 'The last attempt failed. tinbox retries, unless it was a test.',
	dead: 'No more attempts.',
} as const;

/** Status of a delivery, with an explanation. */
export function Status({delivery}: {readonly delivery: DeliveryBody}) {
	return (
		<b class={`outcome ${delivery.status}`} title={meanings[delivery.status]}>
			{statusWord(delivery)}
		</b>
	);
}

/** Open delivery with response and payload. */
function OpenDelivery({delivery}: {readonly delivery: DeliveryBody}) {
	const web = useWeb();
	const {id, response_status: code, response_body: answer, payload} = delivery;
	return (
		<section class="record">
			<header class="pane-bar row wrap">
				<h2>Delivery</h2>
				<CopyButton text={id} what="of the delivery">
					Copy ID
				</CopyButton>
				<button type="button" onClick={() => void redeliver(web, delivery)}>
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

/** Open endpoint with its actions, and the secret of a new one. */
function EndpointHead({endpoint}: {readonly endpoint: EndpointBody}) {
	const web = useWeb();
	const secret = useSelector(({webhooks: {created}}) => (created?.id === endpoint.id ? created.secret : undefined));
	const {url, events, is_active: isActive} = endpoint;
	return (
		<header class="pane-bar row wrap">
			<h2>
				<bdi>{sanitizeLine(url)}</bdi>
			</h2>
			<p class="note">{events.join(', ')}</p>
			<p class="bar-actions row wrap">
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
				<button type="button" class="danger" onClick={() => askToDeleteEndpoint(web, endpoint)}>
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
			<p class="secret-line row wrap">
				<code>{secret}</code>
				<CopyButton text={secret} what="the secret" />
				<button type="button" onClick={() => hideSecret(web)}>
					Done
				</button>
			</p>
		</div>
	);
}

type EndpointListProps = {
	/** Undefined until they were read. */
	readonly endpoints: readonly EndpointBody[] | undefined;
	readonly open: string | undefined;
};

function EndpointList({endpoints, open}: EndpointListProps) {
	const {store} = useWeb();
	return (
		<>
			<div class="pane-bar row wrap">
				<h2>
					Endpoints <span class="count">{endpoints?.length}</span>
				</h2>
				<button type="button" onClick={() => store.update({dialog: {type: 'new endpoint'}})}>
					New<span class="visually-hidden"> endpoint</span>
				</button>
			</div>
			{endpoints?.length === 0 ? (
				<p class="nothing">
					No endpoints yet. Create one, or run <code>{webhookCommand}</code>
				</p>
			) : (
				<OptionList
					label="Endpoints"
					rows={endpoints ?? []}
					selected={open}
					routeOf={({id}) => ({screen: 'webhooks', endpointId: id})}
				>
					{({url, events, is_active: isActive}) => (
						<>
							<bdi class="whole">{sanitizeLine(url)}</bdi>
							<span class="note cut">
								{events.join(', ')}
								{!isActive && <b class="off"> off</b>}
							</span>
						</>
					)}
				</OptionList>
			)}
		</>
	);
}

type DeliveryListProps = {readonly endpoint: EndpointBody; readonly open: string | undefined};

/** Deliveries to the endpoint, newest first. */
function DeliveryList({endpoint, open}: DeliveryListProps) {
	const page = useSelector(({webhooks}) => deliveryPageOf(webhooks, endpoint.id));
	return (
		<section>
			<EndpointHead endpoint={endpoint} />
			<DeliveryFilter endpointId={endpoint.id} />
			{page?.rows.length === 0 ? (
				<p class="nothing">
					{page.query.status || page.query.event
						? 'No deliveries match the filter.'
						: 'No deliveries yet. Select Test to send one.'}
				</p>
			) : (
				<OptionList
					label="Deliveries"
					rows={page?.rows ?? []}
					selected={open}
					routeOf={({id}) => ({screen: 'webhooks', endpointId: endpoint.id, deliveryId: id})}
				>
					{deliveryRow}
				</OptionList>
			)}
			{page !== undefined && <Pages query={page.query} total={page.total} />}
		</section>
	);
}

function deliveryRow(delivery: DeliveryBody) {
	const {event, attempts, created_at: time} = delivery;
	return (
		<>
			<span class="cut">
				<Status delivery={delivery} /> {event}
			</span>
			<time class="when" dateTime={time}>
				{clockTime(time, new Date())}
			</time>
			<span class="note cut">
				{responseWord(delivery)}, {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
			</span>
		</>
	);
}

function DeliveryFilter({endpointId}: {readonly endpointId: string}) {
	const web = useWeb();
	const {status, event} = queryOfEndpoint(
		useSelector(({webhooks}) => webhooks),
		endpointId,
	);
	return (
		<p class="delivery-filter row wrap">
			<Choice
				label="Status"
				options={deliveryStatuses}
				words={statusWords}
				chosen={status}
				onChange={status => queryDeliveries(web, endpointId, {status, event})}
			/>
			<Choice
				label="Event"
				options={webhookEvents}
				chosen={event}
				onChange={event => queryDeliveries(web, endpointId, {status, event})}
			/>
		</p>
	);
}

type ChoiceProps<T extends string> = {
	readonly label: string;
	readonly options: readonly T[];
	/** Labels of the options; by default the options themselves. */
	readonly words?: Readonly<Record<T, string>>;
	readonly chosen: T | undefined;
	readonly onChange: (chosen: T | undefined) => void;
};

/** Select box with an option for any value. */
function Choice<T extends string>({label, options, words, chosen, onChange}: ChoiceProps<T>) {
	return (
		<label class="row">
			{label}{' '}
			<select
				value={chosen ?? ''}
				onChange={({currentTarget}) => onChange(options.find(option => option === currentTarget.value))}
			>
				<option value="">Any</option>
				{options.map(option => (
					<option key={option} value={option}>
						{words?.[option] ?? option}
					</option>
				))}
			</select>
		</label>
	);
}

/** Links to newer and older deliveries. */
function Pages({query, total}: {readonly query: DeliveryQuery; readonly total: number}) {
	const web = useWeb();
	const {endpointId, page, ...asked} = query;
	const to = (page: number) => queryDeliveries(web, endpointId, {...asked, page});
	const first = (page - 1) * maxLimit + 1;
	const last = Math.min(page * maxLimit, total);
	if (total <= maxLimit && page === 1) {
		return null;
	}

	return (
		<p class="list-pages row wrap">
			<button type="button" disabled={page === 1} onClick={() => to(page - 1)}>
				Newer
			</button>
			<span>
				{first} to {last} of {total}
			</span>
			<button type="button" disabled={last === total} onClick={() => to(page + 1)}>
				Older
			</button>
		</p>
	);
}
