import {deliveryStatuses, maxLimit, webhookEvents} from '../../../../contract/constants.js';
import type {DeliveryBody, EndpointBody} from '../../../../contract/webhooks.js';
import {clockTime} from '../../../core/clock-time.js';
import {responseWord, statusWords} from '../../../core/webhooks.js';
import {askForDeliveries} from '../../actions/webhooks.js';
import {type DeliveryQuery, deliveriesOf, queryOfEndpoint} from '../../state/webhooks.js';
import {useWatched, useWeb} from '../../web.js';
import {OptionList} from '../option-list.js';
import {EndpointHead} from './endpoint-head.js';
import {Status} from './status.js';

type DeliveryListProps = {readonly endpoint: EndpointBody; readonly open: string | undefined};

/** What was sent to the endpoint, newest first. */
export function DeliveryList({endpoint, open}: DeliveryListProps) {
	const page = useWatched(({webhooks}) => deliveriesOf(webhooks, endpoint.id));
	return (
		<section>
			<EndpointHead endpoint={endpoint} />
			<DeliveryFilter endpointId={endpoint.id} />
			{page?.rows.length === 0 ? (
				<p class="nothing">
					{isFiltered(page.query) ? 'No deliveries match the filter.' : 'No deliveries yet. Select Test to send one.'}
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
			<span class="title">
				<Status delivery={delivery} /> {event}
			</span>
			<time class="when" dateTime={time}>
				{clockTime(time, new Date())}
			</time>
			<span class="note">
				{responseWord(delivery)}, {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
			</span>
		</>
	);
}

function isFiltered({status, event}: DeliveryQuery): boolean {
	return status !== undefined || event !== undefined;
}

function DeliveryFilter({endpointId}: {readonly endpointId: string}) {
	const web = useWeb();
	const {status, event} = queryOfEndpoint(
		useWatched(({webhooks}) => webhooks),
		endpointId,
	);
	return (
		<p class="delivery-filter">
			<Choice
				label="Status"
				options={deliveryStatuses}
				words={statusWords}
				chosen={status}
				onChange={status => askForDeliveries(web, endpointId, {status, event})}
			/>
			<Choice
				label="Event"
				options={webhookEvents}
				chosen={event}
				onChange={event => askForDeliveries(web, endpointId, {status, event})}
			/>
		</p>
	);
}

type ChoiceProps<T extends string> = {
	readonly label: string;
	readonly options: readonly T[];
	/** The words for the options, unless they are shown as they are. */
	readonly words?: Readonly<Record<T, string>>;
	readonly chosen: T | undefined;
	readonly onChange: (chosen: T | undefined) => void;
};

/** One of a few words, or any. */
function Choice<T extends string>({label, options, words, chosen, onChange}: ChoiceProps<T>) {
	return (
		<label>
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

/** Leads to older deliveries, and back. */
function Pages({query, total}: {readonly query: DeliveryQuery; readonly total: number}) {
	const web = useWeb();
	const {endpointId, page, ...asked} = query;
	const to = (page: number) => askForDeliveries(web, endpointId, {...asked, page});
	const first = (page - 1) * maxLimit + 1;
	const last = Math.min(page * maxLimit, total);
	if (total <= maxLimit && page === 1) {
		return null;
	}

	return (
		<p class="list-pages">
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
