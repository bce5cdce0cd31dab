import type {EndpointBody} from '../../../../contract/webhooks.js';
import {sanitizeLine} from '../../../../lib/sanitize.js';
import {webhookCommand} from '../../../core/webhooks.js';
import {useWeb} from '../../web.js';
import {OptionList} from '../option-list.js';

type EndpointListProps = {
	/** Undefined until they were read. */
	readonly endpoints: readonly EndpointBody[] | undefined;
	readonly open: string | undefined;
};

export function EndpointList({endpoints, open}: EndpointListProps) {
	const {store} = useWeb();
	return (
		<>
			<div class="pane-bar">
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
							<bdi class="title whole">{sanitizeLine(url)}</bdi>
							<span class="note">
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
