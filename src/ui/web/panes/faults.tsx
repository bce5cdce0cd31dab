import {describeFault} from '../../../client/faults.js';
import type {FaultBody} from '../../../contract/faults.js';
import {sanitizeLine, shellQuote} from '../../../lib/text/sanitize.js';
import {
	anyFault,
	faultCommand,
	faultFacts,
	faultsTitle,
	hitFacts,
	hitReply,
	hitSender,
	isFault,
	timesActed,
	timesLeft,
} from '../../core/faults.js';
import {clockTime} from '../../core/format.js';
import {withStaleList} from '../../core/list.js';
import {
	allHits,
	areFaultsRead,
	askToDeleteFault,
	faultChosen,
	faultsOf,
	hitsOf,
	isHolderKnown,
	openHit,
} from '../actions/faults.js';
import {useSelector, useWeb} from '../context.js';
import {mailRoute} from '../state/route.js';
import type {WebState} from '../state/state.js';
import {InboxList} from './inboxes.js';
import {CopyButton, FactTable, OptionList, Panes, RouteLink, ScreenPane, useRefresh} from './panes.js';

/** Shown faults and hit. */
type ShownFaults = {
	/** Null for the daemon. */
	readonly inboxId: string | null;
	/** Undefined for all hits. */
	readonly faultId: string | undefined;
	/** Undefined for the newest hit. */
	readonly hitId: string | undefined;
};

/** Screen with the faults of an inbox or of the daemon, and their hits. */
export function FaultsView(route: ShownFaults) {
	const {inboxId, hitId} = route;
	const problem = useSelector(({faults}) => faults.problem);
	const isKnown = useSelector(({inboxes}) => isHolderKnown(inboxes, inboxId));
	const shown = {...route, faultId: faultChosen(route.faultId)};
	return (
		<Panes open={hitId === undefined ? 'messages' : 'message'} label="Inboxes" first={<InboxList />}>
			<ScreenPane name="messages" label="Faults" back={['Messages', mailRoute(inboxId ?? undefined)]}>
				<section aria-busy={!isKnown}>
					{isKnown && <FaultList {...shown} />}
					{isKnown && (problem === undefined ? <HitList {...shown} /> : <p class="failure">{problem}</p>)}
				</section>
			</ScreenPane>
			<ScreenPane
				name="message"
				label="Hit and fault"
				back={['Faults', {screen: 'faults', inboxId, faultId: route.faultId}]}
			>
				<HitView {...shown} />
			</ScreenPane>
		</Panes>
	);
}

/** Open hit and its fault. */
function HitView({inboxId, faultId, hitId}: ShownFaults) {
	const hit = useSelector(({faults}) => openHit(hitsOf(faults, inboxId, faultId), hitId));
	const fault = useSelector(({faults}) => faultsOf(faults, inboxId)?.find(({id}) => id === faultId));
	return (
		<section class="record">
			{hit && (
				<>
					<header class="pane-bar row wrap">
						<h2>Hit</h2>
						{hit.message_id !== null && inboxId !== null && (
							<RouteLink
								class="button"
								to={{screen: 'mail', inboxId, open: {inboxId, messageId: hit.message_id}, filter: {}}}
							>
								Message
							</RouteLink>
						)}
					</header>
					<FactTable facts={hitFacts(hit)} />
				</>
			)}
			{fault && (
				<>
					<header class="pane-bar row wrap">
						<h2>Fault</h2>
					</header>
					<FactTable facts={faultFacts(fault)} />
				</>
			)}
		</section>
	);
}

/** Hits of the chosen fault, or of all; newest first. */
function HitList({inboxId, faultId, hitId}: ShownFaults) {
	const web = useWeb();
	const fault = useSelector(({faults}) => faultsOf(faults, inboxId)?.find(({id}) => id === faultId));
	const page = useSelector(({faults}) => hitsOf(faults, inboxId, faultId));
	const {rows = [], total = 0} = page ?? {};
	return (
		<>
			<header class="pane-bar row wrap">
				<h3>
					Hits <span class="count">{rows.length < total ? `${rows.length} of ${total}` : total}</span>
				</h3>
				{fault && (
					<button type="button" class="danger" onClick={() => askToDeleteFault(web, fault)}>
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
						<bdi class="cut">{sanitizeLine(hitReply(hit))}</bdi>
						<time class="when" dateTime={hit.time}>
							{clockTime(hit.time, new Date())}
						</time>
						<bdi class="note cut">{sanitizeLine(hitSender(hit))}</bdi>
					</>
				)}
			</OptionList>
		</>
	);
}

const readFaults = ({faults}: Pick<WebState, 'faults'>) => ({faults: withStaleList(faults)});

/** Faults with hits, matches and remaining hits. */
function FaultList({inboxId, faultId}: ShownFaults) {
	const inbox = useSelector(({inboxes}) => inboxes.all.find(({id}) => id === inboxId));
	const faults = useSelector(({faults}) => faultsOf(faults, inboxId));
	useRefresh(areFaultsRead, readFaults);
	const command = faultCommand(inboxId && shellQuote(inbox?.email_address ?? inboxId));
	return (
		<>
			<header class="pane-bar row wrap">
				<h2>
					<bdi>{sanitizeLine(faultsTitle(inbox))}</bdi> <span class="count">{faults?.length}</span>
				</h2>
			</header>
			{faults?.length === 0 && <p class="nothing">No faults yet.</p>}
			{faults !== undefined && faults.length > 0 && (
				<OptionList
					label="Faults"
					rows={[anyFault, ...faults]}
					selected={faultId ?? anyFault.id}
					routeOf={row => ({screen: 'faults', inboxId, faultId: isFault(row) ? row.id : undefined})}
				>
					{row => (isFault(row) ? <FaultLine fault={row} /> : <span class="cut">All hits</span>)}
				</OptionList>
			)}
			<p class="command-line row wrap">
				Add a fault: <code>{command}</code> <CopyButton text={command} what="the command" />
			</p>
		</>
	);
}

function FaultLine({fault}: {readonly fault: FaultBody}) {
	const {name, stage} = fault;
	const effect = sanitizeLine(describeFault(fault));
	const remaining = timesLeft(fault);
	return (
		<>
			<bdi class="cut">{name === null ? effect : sanitizeLine(name)}</bdi>
			<span class="when">
				{timesActed(fault)}
				{remaining !== '' && <b class="left"> {remaining}</b>}
			</span>
			<span class="note cut">
				{stage}
				{name !== null && <bdi> {effect}</bdi>}
			</span>
		</>
	);
}
