import {describeRefusal, type RefusalBody, type RefusalListBody} from '../contract/refusals.js';
import {type Caller, path} from './caller.js';

/** Mail that was refused, for the operator and the local user. */
export function refusalsClient({json}: Caller) {
	return {
		/** The newest ones, newest first. */
		list: async (query: {readonly limit?: number} = {}) => {
			const call = {method: 'GET', path: path`/refusals`, auth: 'either', query} as const;
			return (await json<RefusalListBody>(call, {refusals: [{client: {}}]})).refusals;
		},
	};
}

/** How long before a wait what it waits for may have been sent. */
const leadMs = 60_000;

/** From when on refusals are of interest to a wait that began at this time: ISO 8601. */
export function refusedSince(began: Date): string {
	return new Date(began.getTime() - leadMs).toISOString();
}

/** How many refusals are shown one by one. */
const shown = 3;

/** Says in lines what was refused while somebody waited; none when nothing was. They repeat text from outside. */
export function refusedMeanwhile(refusals: readonly RefusalBody[]): readonly string[] {
	const [first, ...others] = refusals;
	if (!first) {
		return [];
	}

	const isMail = refusals.every(({stage}) => stage !== 'connect' && stage !== 'tls' && stage !== 'auth');
	if (others.length === 0) {
		return [`1 ${isMail ? 'mail' : 'connection'} was refused meanwhile: ${describeRefusal(first)}`];
	}

	const {length} = refusals;
	return [
		`${length} ${isMail ? 'mails' : 'mails or connections'} were refused meanwhile:`,
		...refusals.slice(0, shown).map(refusal => `  ${describeRefusal(refusal)}`),
		...(length > shown ? [`  and ${length - shown} more`] : []),
	];
}
