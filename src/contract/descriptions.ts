import type {FaultDrop} from './constants.js';
import type {RefusalBody} from './daemon.js';
import type {FaultHitBody} from './faults.js';
import type {MailboxBody, MessageBody, SessionBody} from './messages.js';

/** A hit in one line: `RCPT <a@b.test> from 127.0.0.1: answered 451 4.7.1 Try again later`. Contains unsanitized text. */
export function describeFaultHit(
	hit: FaultEffect & Pick<FaultHitBody, 'stage' | 'client' | 'user' | 'envelope'>,
): string {
	const {stage, client, user, envelope} = hit;
	const {from, to} = envelope;
	const address = stage === 'auth' ? user : stage === 'mail' ? from : to.map(recipient => `<${recipient}>`).join(', ');
	return `${stage.toUpperCase()}${address ? ` ${address}` : ''} from ${client.host}: ${describeEffect(hit)}`;
}

/** Effect on the client, to follow "was": `answered 451 4.7.1 Try again later after 5 s`. Contains unsanitized text. */
export function describeEffect({reply, drop, delay_ms}: FaultEffect): string {
	const what = [reply && `answered ${reply}`, drop && dropWords[drop]].filter(Boolean).join(', ');
	const late = delay_ms > 0 ? `${delay_ms / 1000} s` : '';
	return what === '' ? (late ? `delayed by ${late}` : 'slowed down') : `${what}${late && ` after ${late}`}`;
}

/** Effect of a hit on the client. */
type FaultEffect = Pick<FaultHitBody, 'reply' | 'drop' | 'delay_ms'>;

/** Effect of each drop, to follow "is" and "was". */
export const dropWords: Readonly<Record<FaultDrop, string>> = {
	before: 'dropped without a reply',
	mid: 'dropped in the middle',
	after_commit: 'kept, then dropped without a reply',
};

/** A refusal in one line, with a hint to the help about TLS. Contains unsanitized text. */
export function describeRefusal({stage, address, client, reason}: RefusalBody): string {
	const hint = stage === 'tls' ? ' (see: tinbox help tls)' : '';
	return `${stage.toUpperCase()} ${address === null ? `from ${client.host}` : `<${address}>`}: ${reason}${hint}`;
}

/** A session in one line. Contains unsanitized text. */
export function describeSession({tls, auth, client, request}: SessionBody): string {
	const name = tls?.servername == null ? '' : ` for ${tls.servername}`;
	const certificate = tls?.client === undefined ? '' : `, certificate ${tls.client}`;
	return [
		request && `through the ${request.provider} API`,
		tls ? `${tls.version} (${tls.cipher})${name}${certificate}` : 'unencrypted',
		auth && `login ${auth.mechanism} as ${JSON.stringify(auth.user)}`,
		`from ${client.host}${client.helo === null ? '' : ` (${client.helo})`}`,
	]
		.filter(Boolean)
		.join(', ');
}

/**
 * Sender and recipients of a message, to show to people: To and Cc from the header, and envelope recipients that the header does not
 * name. Empty fields are left out.
 */
export function addressFields({
	from,
	from_name: name,
	to,
	envelope,
	recipients,
}: Pick<MessageBody, 'from' | 'from_name' | 'to' | 'envelope' | 'recipients'>): ReadonlyArray<
	readonly [label: string, mailboxes: readonly MailboxBody[]]
> {
	const named = new Set([...recipients.to, ...recipients.cc].map(({address}) => address.toLowerCase()));
	const others = [...new Set([to, ...envelope.to])].filter(address => !named.has(address.toLowerCase()));
	const fields = [
		['From', [{name, address: from}]],
		['To', recipients.to],
		['Cc', recipients.cc],
		['Recipient', others.map(address => ({name: null, address}))],
	] as const;
	return fields.filter(([, mailboxes]) => mailboxes.length > 0);
}
