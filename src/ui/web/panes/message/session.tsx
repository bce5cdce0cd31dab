import type {ComponentChildren} from 'preact';
import {describeFaultHit} from '../../../../contract/descriptions.js';
import type {FaultHitBody} from '../../../../contract/faults.js';
import type {DsnBody, FullMessageBody, MessageSummaryBody, SessionBody} from '../../../../contract/messages.js';
import {safeJson, sanitizeLine, sanitizeText} from '../../../../lib/text/sanitize.js';
import {redeliver} from '../../actions/webhooks.js';
import {useWeb} from '../../context.js';
import type {OpenMessage} from '../../state/route.js';
import type {MessageDelivery} from '../../state/state.js';
import {RouteLink} from '../panes.js';
import {Status} from '../webhooks.js';
import {More, PartView, Time, usePart} from './part.js';
import {LongText} from './tabs.js';

/** Number of recipients that are shown at first. */
const recipientStep = 50;

/** SMTP session, envelope, fault hits and answers of a message. */
export function SessionTab({open, message}: {readonly open: OpenMessage; readonly message: FullMessageBody}) {
	const {session, envelope, message_id: messageId, received_at: received} = message;
	return (
		<div class="facts">
			<section aria-labelledby="session-title">
				<h3 id="session-title">Session</h3>
				{!session && <p class="line">No session was recorded. The daemon created or imported this message.</p>}
				<dl>
					{session && <SessionFacts session={session} />}
					<Fact name="Received">
						<Time iso={received} />
					</Fact>
					<Fact name="Message-ID">{messageId && <bdi>{sanitizeLine(messageId)}</bdi>}</Fact>
				</dl>
			</section>
			<section aria-labelledby="envelope-title">
				<h3 id="envelope-title">Envelope</h3>
				<dl>
					<Fact name="From">
						<bdi>{sanitizeLine(envelope.from) || '<>'}</bdi>
					</Fact>
					<Fact name="To">
						<More rows={envelope.to} step={recipientStep}>
							{rows => (
								<ul>
									{rows.map((address, index) => (
										<li key={index}>
											<bdi>{sanitizeLine(address)}</bdi>
											{envelope.dsn && <RequestedNotifications dsn={envelope.dsn} address={address} />}
										</li>
									))}
								</ul>
							)}
						</More>
					</Fact>
					{envelope.dsn?.ret && (
						<Fact name="DSN content">
							{envelope.dsn.ret === 'FULL' ? 'Full message (FULL)' : 'Headers only (HDRS)'}
						</Fact>
					)}
					{envelope.dsn?.envid && (
						<Fact name="Envelope ID">
							<bdi>{sanitizeLine(envelope.dsn.envid)}</bdi>
						</Fact>
					)}
				</dl>
			</section>
			<History open={open} />
		</div>
	);
}

function SessionFacts({session: {client, tls, auth}}: {readonly session: SessionBody}) {
	return (
		<>
			<Fact name="Client">{client.host}</Fact>
			<Fact name="HELO">{client.helo !== null && <bdi>{sanitizeLine(client.helo)}</bdi>}</Fact>
			<Fact name="TLS">{tls ? tls.version : 'Unencrypted'}</Fact>
			<Fact name="Cipher">{tls?.cipher}</Fact>
			<Fact name="Server name (SNI)">{tls?.servername && <bdi>{sanitizeLine(tls.servername)}</bdi>}</Fact>
			<Fact name="Client certificate">{tls?.client && <bdi>{sanitizeLine(tls.client)}</bdi>}</Fact>
			<Fact name="Login">
				{auth ? (
					<>
						<bdi>{sanitizeLine(auth.user)}</bdi> ({auth.mechanism})
					</>
				) : (
					'None'
				)}
			</Fact>
		</>
	);
}

/** Fact; nothing if it is empty. */
function Fact({name, children}: {readonly name: string; readonly children: ComponentChildren}) {
	return children === undefined || children === null || children === false || children === '' ? null : (
		<>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</>
	);
}

/** Delivery status notifications requested for a recipient (RFC 3461). */
function RequestedNotifications({dsn, address}: {readonly dsn: DsnBody; readonly address: string}) {
	const {notify, orcpt} = dsn.recipients?.[address] ?? {};
	const requested = [notify && `notify ${notify.join(', ')}`, orcpt && `original recipient ${orcpt}`].filter(Boolean);
	return requested.length === 0 ? null : <span class="note"> {sanitizeLine(requested.join('; '))}</span>;
}

function History({open}: {readonly open: OpenMessage}) {
	return (
		<PartView open={open} name="history" part={usePart(open, 'history')} what="the history">
			{({hits, answers}) => (
				<>
					{hits.length > 0 && <Hits hits={hits} />}
					{answers.length > 0 && <Answers answers={answers} />}
				</>
			)}
		</PartView>
	);
}

function Hits({hits}: {readonly hits: readonly FaultHitBody[]}) {
	return (
		<section aria-labelledby="hits-title">
			<h3 id="hits-title">Fault hits on this message and similar earlier mail</h3>
			<ul>
				{hits.map(hit => (
					<li key={hit.id}>
						<Time iso={hit.time} /> {hit.name !== null && <b>{sanitizeLine(hit.name)}: </b>}
						<bdi>{sanitizeLine(describeFaultHit(hit))}</bdi>
					</li>
				))}
			</ul>
		</section>
	);
}

function Answers({answers}: {readonly answers: readonly MessageSummaryBody[]}) {
	return (
		<section aria-labelledby="answers-title">
			<h3 id="answers-title">Bounces, complaints and replies</h3>
			<ul>
				{answers.map(({id, inbox_id: inboxId, subject, from, received_at: received}) => (
					<li key={id}>
						<Time iso={received} />{' '}
						<RouteLink to={{screen: 'mail', inboxId, open: {inboxId, messageId: id}, filter: {}}}>
							<bdi>{sanitizeLine(subject) || '(no subject)'}</bdi>
						</RouteLink>{' '}
						from <bdi>{sanitizeLine(from)}</bdi>
					</li>
				))}
			</ul>
		</section>
	);
}

/** Webhook deliveries of the message. */
export function WebhooksTab({open}: {readonly open: OpenMessage}) {
	return (
		<PartView open={open} name="deliveries" part={usePart(open, 'deliveries')} what="the deliveries">
			{deliveries =>
				deliveries.length === 0 ? (
					<p class="empty">
						No webhooks for this message. Create one: <code>tinbox webhooks create &lt;url&gt;</code>
					</p>
				) : (
					<ul class="deliveries">
						{deliveries.map(each => (
							<Delivery key={each.delivery.id} {...each} />
						))}
					</ul>
				)
			}
		</PartView>
	);
}

function Delivery({endpoint, delivery}: MessageDelivery) {
	const web = useWeb();
	const {id, attempts, response_status: code, response_body: response, payload} = delivery;
	return (
		<li class="delivery">
			<p class="summary">
				<Status delivery={delivery} /> {code ?? 'No response'}{' '}
				<RouteLink to={{screen: 'webhooks', endpointId: endpoint.id, deliveryId: id}}>{endpoint.url}</RouteLink>
				{!endpoint.is_active && ' (off)'}
			</p>
			<p class="note">
				{attempts} {attempts === 1 ? 'attempt' : 'attempts'}
				{delivery.last_attempt_at !== null && (
					<>
						, last at <Time iso={delivery.last_attempt_at} />
					</>
				)}
			</p>
			{response !== null && response !== '' && <Scrolled text={sanitizeText(response)} label="Response" />}
			<details>
				<summary>Payload</summary>
				<Scrolled text={safeJson(payload, 2)} label="Payload" />
			</details>
			<button type="button" class="small" onClick={() => void redeliver(web, delivery)}>
				Redeliver
			</button>
		</li>
	);
}

function Scrolled({text, label}: {readonly text: string; readonly label: string}) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only what has the focus scrolls
		<section class="scrolled" aria-label={label} tabIndex={0}>
			<LongText text={text} />
		</section>
	);
}
