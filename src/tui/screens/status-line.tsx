import {Text} from 'ink';
import type {ReactNode} from 'react';
import type {State} from '../state/state.js';
import {unseenIn} from '../state/unseen.js';
import {fitTo} from '../text/fit-to.js';
import {joinFitting} from '../text/join-fitting.js';

const looks = {
	live: {sign: '●', color: 'green'},
	connecting: {sign: '○', color: 'yellow'},
	lost: {sign: '✗', color: 'red'},
} as const;

/** The daemon, its ports, the key, and how many messages were not looked at. What does not fit is left out. */
export function StatusLine({state, width}: {readonly state: State; readonly width: number}): ReactNode {
	const {live, about, inboxes, unseen} = state;
	const {sign, color} = looks[live.status];
	const fresh = inboxes.rows.reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
	const first = ` tinbox ${sign} ${live.status}${live.status === 'lost' ? ', trying again …' : ''}`;
	const parts = live.status === 'lost' ? [live.reason] : factsOf(about, fresh);
	return (
		<Text wrap="truncate">
			<Text color={color} bold>
				{first}
			</Text>
			<Text dimColor>{fitTo(`  ${joinFitting(parts, width - first.length - 2)}`, width - first.length)}</Text>
		</Text>
	);
}

function factsOf({url, smtp, key}: State['about'], fresh: number): readonly string[] {
	const facts = [`${fresh} unseen`, smtp && `smtp ${smtp}`, `http ${new URL(url).host}`, key && `key ${key}…`];
	return facts.filter(fact => fact !== undefined);
}
