import {faultFacts, hitFacts} from '../../../core/faults.js';
import {faultsOf, hitsOf, openHit} from '../../state/faults.js';
import {useWatched} from '../../web.js';
import {FactTable} from '../facts.js';
import {PlaceLink} from '../link.js';
import type {ShownFaults} from './shown.js';

/** The hit that is open, and the chosen fault. */
export function HitView({inboxId, faultId, hitId}: ShownFaults) {
	const hit = useWatched(({faults}) => openHit(hitsOf(faults, inboxId, faultId), hitId));
	const fault = useWatched(({faults}) => faultsOf(faults, inboxId)?.find(({id}) => id === faultId));
	return (
		<section class="record">
			{hit && (
				<>
					<header class="pane-bar">
						<h2>Hit</h2>
						{hit.message_id !== null && inboxId !== null && (
							<PlaceLink
								class="button"
								to={{
									screen: 'mail',
									inboxId,
									open: {inboxId, messageId: hit.message_id},
									filter: {},
								}}
							>
								Message
							</PlaceLink>
						)}
					</header>
					<FactTable facts={hitFacts(hit)} />
				</>
			)}
			{fault && (
				<>
					<header class="pane-bar">
						<h2>Fault</h2>
					</header>
					<FactTable facts={faultFacts(fault)} />
				</>
			)}
		</section>
	);
}
