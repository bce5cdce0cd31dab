import {fieldsOf} from './answers.js';

/** What comes back for a mail: a delivery status notification (RFC 3464), a complaint (RFC 5965) or an automatic reply (RFC 3834). */
export type BounceKind = 'bounce' | 'complaint' | 'autoreply';

/** The status of a bounce unless it is given: there is no such mailbox. */
export const defaultStatus = '5.1.1';

/** How long after its mail a bounce comes at most. */
export const maxBounceDelayMs = 86_400_000;

/** The names before the @ by which the simulator of Amazon SES is told what to do. */
export const simulatorNames = ['success', 'bounce', 'complaint', 'ooto', 'suppressionlist'] as const;

/** A status (RFC 3463): the recipient was reached, is not reached yet, or never will be. */
export const statusPattern = /^[245]\.\d{1,3}\.\d{1,3}$/;

/** Where a mail goes by SMTP, over TLS from the start by `smtps`. */
export const mailTargetPattern =
	/^[Ss][Mm][Tt][Pp][Ss]?:\/\/(?:[A-Za-z\d][A-Za-z\d.-]*|\[[\dA-Fa-f:.]+\])(?::\d{1,5})?\/?$/;

export type CreateBounce = {
	/** `5.x.x`, failed; `4.x.x`, delayed; `2.x.x`, delivered. */
	readonly status?: string | undefined;
	/** Whom it is about, of those in the envelope of the mail; the one that led to the inbox unless given. */
	readonly recipients?: readonly string[] | undefined;
	/** The server that it is sent to, as `smtp://localhost:2525`; it goes to the inbox of the sender unless given. */
	readonly to?: string | undefined;
};

export type CreateReply = Omit<CreateBounce, 'status'>;

export type BounceBody = {
	readonly kind: BounceKind;
	/** The envelope sender of the mail, to whom it went. */
	readonly sender: string;
	readonly recipients: readonly string[];
	/** Null when it is no bounce. */
	readonly status: string | null;
	/** The server that took it; null when an inbox here has it. */
	readonly to: string | null;
	/** Null when the mail came by a sending API, which tells the app by a webhook. */
	readonly message_id: string | null;
};

export const bounceFields = fieldsOf<BounceBody>()('kind sender recipients status to message_id');
