import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {inboxesNamed} from '../../core/inboxes.js';
import {useSelector} from '../context.js';
import {mailRoute, type Route} from '../state/route.js';
import {InboxList} from './inboxes.js';
import {Back, Panes, PlaceLink, ScreenPane} from './panes.js';

type NowhereProps = {readonly route: Extract<Route, {screen: 'nowhere'}>};

/** What an address shows that leads nowhere, and where one can go from there. */
export function Nowhere({route: {href, inboxName}}: NowhereProps) {
	const all = useSelector(({inboxes}) => inboxes.all);
	const named = inboxName === undefined ? [] : inboxesNamed(all, inboxName);
	return (
		<Panes open="messages" label="Inboxes" first={<InboxList />}>
			<ScreenPane name="messages" label="Not found" back={<Back to={{screen: 'inboxes'}}>Inboxes</Back>}>
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
							<PlaceLink to={mailRoute(id)}>
								<bdi>{sanitizeLine(address)}</bdi>
							</PlaceLink>
						</p>
					))}
					{named.length === 0 && (
						<p>
							Nothing exists at <code>{sanitizeLine(href)}</code>.
						</p>
					)}
					<p>
						<PlaceLink to={{screen: 'inboxes'}}>Go to the inboxes</PlaceLink>
					</p>
				</section>
			</ScreenPane>
		</Panes>
	);
}
