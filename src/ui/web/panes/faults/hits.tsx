import {sanitizeLine} from '../../../../lib/sanitize.js';
import {clockTime} from '../../../core/clock-time.js';
import {hitReply, hitSender} from '../../../core/faults.js';
import {askToRemoveFault} from '../../actions/faults.js';
import {allHits, faultsOf, hitsOf, openHit} from '../../state/faults.js';
import {useWatched, useWeb} from '../../web.js';
import {OptionList} from '../option-list.js';
import type {ShownFaults} from './shown.js';

/** Each time that the fault acted, or any, newest first. */
export function HitList({inboxId, faultId, hitId}: ShownFaults) {
	const web = useWeb();
	const fault = useWatched(({faults}) => faultsOf(faults, inboxId)?.find(({id}) => id === faultId));
	const page = useWatched(({faults}) => hitsOf(faults, inboxId, faultId));
	const {rows = [], total = 0} = page ?? {};
	return (
		<>
			<header class="pane-bar">
				<h3>
					Hits <span class="count">{rows.length < total ? `${rows.length} of ${total}` : total}</span>
				</h3>
				{fault && (
					<button type="button" class="danger" onClick={() => askToRemoveFault(web, fault)}>
						Delete the fault
					</button>
				)}
			</header>
			{page !== undefined && total === 0 && <p class="nothing">No hits yet.</p>}
			<OptionList
				label="Hits"
				rows={rows}
				selected={openHit(page, hitId)?.id}
				routeOf={({id}) => ({screen: 'faults', inboxId, faultId: faultId ?? allHits, hitId: id})}
			>
				{hit => (
					<>
						<bdi class="title">{sanitizeLine(hitReply(hit))}</bdi>
						<time class="when" dateTime={hit.time}>
							{clockTime(hit.time, new Date())}
						</time>
						<bdi class="note">{sanitizeLine(hitSender(hit))}</bdi>
					</>
				)}
			</OptionList>
		</>
	);
}
