import type {PendingBounce} from '../../domain/bounce.js';
import type {FaultEffect} from '../../domain/fault.js';
import type {FeedItem} from '../../domain/feed-item.js';
import type {Message} from '../../domain/message.js';
import type {Announcement} from '../webhooks/announcements.js';
import type {Reached} from './recipients.js';

/** The rows of a mail, and what tells of them. */
export type PreparedMail = {
	readonly reached: readonly Reached[];
	readonly messages: readonly Message[];
	readonly weight: number;
	readonly size: number;
	readonly bounces: readonly PendingBounce[];
	readonly announced: readonly Announcement[];
	readonly news: readonly FeedItem[];
	readonly effect: FaultEffect | null;
};
