import {describeFault} from '../../../../client/fault-words.js';
import type {FaultBody} from '../../../../contract/faults.js';
import {sanitizeLine, shellQuote} from '../../../../lib/sanitize.js';
import {anyFault, faultCommand, faultsTitle, isFault, timesActed, timesLeft} from '../../../core/faults.js';
import {areFaultsRead} from '../../actions/read-faults.js';
import {faultsOf, withFaultsStale} from '../../state/faults.js';
import type {WebState} from '../../state/state.js';
import {useWatched} from '../../web.js';
import {CopyButton} from '../copy-button.js';
import {OptionList} from '../option-list.js';
import {useRefresh} from '../refresh.js';
import type {ShownFaults} from './shown.js';

const readFaults = ({faults}: Pick<WebState, 'faults'>) => ({faults: withFaultsStale(faults)});

/** The faults, how often each acted of how often it was asked, how often it will still act. */
export function FaultList({inboxId, faultId}: ShownFaults) {
	const inbox = useWatched(({inboxes}) => inboxes.all.find(({id}) => id === inboxId));
	const faults = useWatched(({faults}) => faultsOf(faults, inboxId));
	useRefresh(areFaultsRead, readFaults);
	const command = faultCommand(inboxId && shellQuote(inbox?.email_address ?? inboxId));
	return (
		<>
			<header class="pane-bar">
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
					{row => (isFault(row) ? <FaultLine fault={row} /> : <span class="title">All hits</span>)}
				</OptionList>
			)}
			<p class="command-line">
				Add a fault: <code>{command}</code> <CopyButton text={command} what="the command" />
			</p>
		</>
	);
}

function FaultLine({fault}: {readonly fault: FaultBody}) {
	const {name, stage} = fault;
	const does = sanitizeLine(describeFault(fault));
	const left = timesLeft(fault);
	return (
		<>
			<bdi class="title">{name === null ? does : sanitizeLine(name)}</bdi>
			<span class="when">
				{timesActed(fault)}
				{left !== '' && <b class="left"> {left}</b>}
			</span>
			<span class="note">
				{stage}
				{name !== null && <bdi> {does}</bdi>}
			</span>
		</>
	);
}
