import {Text} from 'ink';
import type {ReactNode} from 'react';
import type {State} from '../state/state.js';
import {fitTo} from '../text/fit-to.js';

const looks = {
	live: {sign: '●', color: 'green'},
	connecting: {sign: '○', color: 'yellow'},
	lost: {sign: '✗', color: 'red'},
} as const;

/** The daemon, its ports, the key, and how many messages were not looked at. What does not fit is left out. */
export function StatusLine({state, width}: {readonly state: State; readonly width: number}): ReactNode {
	const {live, about, unseen} = state;
	const {sign, color} = looks[live.status];
	const fresh = [...unseen.values()].reduce((sum, ids) => sum + ids.size, 0);
	const first = ` tinbox ${sign} ${live.status}`;
	const parts = live.status === 'lost' ? [`${live.reason} Trying again …`] : factsOf(about, fresh);
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

function joinFitting(parts: readonly string[], width: number): string {
	return parts.reduce((line, part) => {
		const longer = line === '' ? part : `${line}  ${part}`;
		return longer.length <= width || line === '' ? longer : line;
	}, '');
}
