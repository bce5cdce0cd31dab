import type {Store, Usage} from '../../store/store.js';
import {type Limit, Quota, StoredQuota} from './quota.js';

const held = ['polls', 'streams', 'previews'] as const;
const stored = [
	'inboxes',
	'endpoints',
	'teams',
	'messages',
	'bytes',
	'deliveries',
] as const satisfies readonly (keyof Usage)[];

/** Everything that is counted by user. */
export type UserLimits = Readonly<Record<(typeof held)[number] | (typeof stored)[number], Limit>>;

/** One quota for each limit, for all who count that. */
export type Quotas = {readonly [K in (typeof held)[number]]: Quota} & {
	readonly [K in (typeof stored)[number]]: StoredQuota;
};

export function createQuotas(limits: UserLimits, store: Pick<Store, 'usage'>): Quotas {
	const storedQuota = (name: (typeof stored)[number]) =>
		new StoredQuota(limits[name], async userId => (await store.usage(userId))[name]);
	return {
		polls: new Quota(limits.polls),
		streams: new Quota(limits.streams),
		previews: new Quota(limits.previews),
		inboxes: storedQuota('inboxes'),
		endpoints: storedQuota('endpoints'),
		teams: storedQuota('teams'),
		messages: storedQuota('messages'),
		bytes: storedQuota('bytes'),
		deliveries: storedQuota('deliveries'),
	};
}
