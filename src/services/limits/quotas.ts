import type {Store} from '../../store/store.js';
import type {Usage} from '../../store/usage.js';
import {MailQuota} from './mail-quota.js';
import {type Limit, Quota, StoredQuota} from './quota.js';

const held = ['polls', 'streams'] as const;
const stored = ['inboxes', 'endpoints', 'teams', 'deliveries'] as const satisfies readonly (keyof Usage)[];

/** Everything that is counted by user. */
export type UserLimits = Readonly<Record<(typeof held)[number] | keyof Usage, Limit>>;

/** One quota for each limit, but one for both of mail, for all who count that. */
export type Quotas = {readonly [K in (typeof held)[number]]: Quota} & {
	readonly [K in (typeof stored)[number]]: StoredQuota;
} & {readonly mail: MailQuota};

export function createQuotas(limits: UserLimits, store: Pick<Store, 'usage'>): Quotas {
	const storedQuota = (name: (typeof stored)[number]) => new StoredQuota(limits[name], name, store);
	return {
		polls: new Quota(limits.polls),
		streams: new Quota(limits.streams),
		inboxes: storedQuota('inboxes'),
		endpoints: storedQuota('endpoints'),
		teams: storedQuota('teams'),
		mail: new MailQuota(limits, store),
		deliveries: storedQuota('deliveries'),
	};
}
