import type {BounceKind} from './constants.js';

/** Request to bounce a message. */
export type CreateBounce = {
	/** Enhanced status code: `5.x.x` failed, `4.x.x` delayed, `2.x.x` delivered (default `5.1.1`). */
	readonly status?: string | undefined;
	/** Envelope recipients that the reply is about (default: the one that led to the inbox). */
	readonly recipients?: readonly string[] | undefined;
	/** Server to send the reply to, such as `smtp://localhost:2525` (default: the inbox of the sender). */
	readonly to?: string | undefined;
};

/** Request to send a complaint or an automatic reply. */
export type CreateReply = Omit<CreateBounce, 'status'>;

/** Bounce, complaint or automatic reply that was sent. */
export type BounceBody = {
	readonly kind: BounceKind;
	/** Envelope sender of the mail, who receives the reply. */
	readonly sender: string;
	/** Recipients of the mail that the reply is about. */
	readonly recipients: readonly string[];
	/** Enhanced status code of a bounce; null for complaints and automatic replies. */
	readonly status: string | null;
	/** Server that accepted the reply; null if it was delivered to an inbox. */
	readonly to: string | null;
	/** Message-ID of the reply; null if the mail came through a sending API, whose webhooks report it. */
	readonly message_id: string | null;
};
