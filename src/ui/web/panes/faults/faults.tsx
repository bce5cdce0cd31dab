import {faultChosen, isHolderKnown} from '../../state/faults.js';
import {mailRoute} from '../../state/route.js';
import {useWatched} from '../../web.js';
import {InboxList} from '../inboxes.js';
import {Back, Panes, ScreenPane} from '../panes.js';
import {HitView} from './hit.js';
import {HitList} from './hits.js';
import {FaultList} from './list.js';
import type {ShownFaults} from './shown.js';

/** What goes wrong on purpose in an inbox, or in the whole daemon, and each time that it did. */
export function FaultsView(route: ShownFaults) {
	const {inboxId, hitId} = route;
	const problem = useWatched(({faults}) => faults.problem);
	const isKnown = useWatched(({inboxes}) => isHolderKnown(inboxes, inboxId));
	const shown = {...route, faultId: faultChosen(route.faultId)};
	return (
		<Panes open={hitId === undefined ? 'messages' : 'message'} label="Inboxes" first={<InboxList />}>
			<ScreenPane name="messages" label="Faults" back={<Back to={mailRoute(inboxId ?? undefined)}>Messages</Back>}>
				<section aria-busy={!isKnown}>
					{isKnown && <FaultList {...shown} />}
					{isKnown && (problem === undefined ? <HitList {...shown} /> : <p class="failure">{problem}</p>)}
				</section>
			</ScreenPane>
			<ScreenPane
				name="message"
				label="Hit and fault"
				back={<Back to={{screen: 'faults', inboxId, faultId: route.faultId}}>Faults</Back>}
			>
				<HitView {...shown} />
			</ScreenPane>
		</Panes>
	);
}
