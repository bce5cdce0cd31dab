import type {Page} from '../../contract/constants.js';
import type {CredentialsBody, InboxBody, InboxListBody} from '../../contract/inboxes.js';
import {type HostPort, hostPort} from '../../lib/io/hosts.js';
import type {CountedInbox, CountedInboxes} from '../../services/inboxes/inboxes.js';
import type {InboxCredentials} from '../../services/inboxes/logins.js';

export function inboxBody({inbox, messageCount, evicted}: CountedInbox): InboxBody {
	return {
		id: inbox.id,
		email_address: inbox.address,
		name: inbox.name,
		message_count: messageCount,
		team_id: inbox.teamId,
		routing: inbox.routing ?? 'login',
		bounce: inbox.bounce ? {status: inbox.bounce.status, delay_ms: inbox.bounce.delayMs} : null,
		simulator: inbox.simulator ?? false,
		keep: inbox.keep ?? null,
		keep_for: inbox.keepForMs == null ? null : inbox.keepForMs / 1000,
		evicted,
		expires_at: inbox.expiresAt,
		created_at: inbox.createdAt,
	};
}

export function inboxListBody({inboxes, total}: CountedInboxes, {page, limit}: Page): InboxListBody {
	return {inboxes: inboxes.map(inboxBody), total, page, limit};
}

/** `tlsPort` is undefined where nobody listens. */
export function credentialsBody(
	{username, password, sendKey}: InboxCredentials,
	smtp: HostPort,
	tlsPort: number | undefined,
): CredentialsBody {
	const url = `smtp://${username}:${password}@${hostPort(smtp)}`;
	return {...smtp, tls_port: tlsPort ?? null, username, password, url, send_key: sendKey};
}
