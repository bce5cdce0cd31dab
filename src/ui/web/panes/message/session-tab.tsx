import type {ComponentChildren} from 'preact';
import {describeFaultHit} from '../../../../contract/descriptions.js';
import type {FaultHitBody} from '../../../../contract/faults.js';
import type {DsnBody, FullMessageBody, MessageSummaryBody, SessionBody} from '../../../../contract/messages.js';
import {sanitizeLine} from '../../../../lib/sanitize.js';
import type {OpenMessage} from '../../state/route.js';
import {PlaceLink} from '../link.js';
import {Time} from './head.js';
import {More} from './more.js';
import {PartView, usePart} from './part.js';

/** Recipients of the envelope that are shown at first. */
const step = 50;

/** How a message came: the session, the envelope, and what faults did to it; and what came back for it. */
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
						<More rows={envelope.to} step={step}>
							{rows => (
								<ul>
									{rows.map((address, index) => (
										// biome-ignore lint/suspicious/noArrayIndexKey: an address may stand there twice
										<li key={index}>
											<bdi>{sanitizeLine(address)}</bdi>
											{envelope.dsn && <Wishes dsn={envelope.dsn} address={address} />}
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

/** Nothing of a fact that is not there. */
function Fact({name, children}: {readonly name: string; readonly children: ComponentChildren}) {
	return children === undefined || children === null || children === false || children === '' ? null : (
		<>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</>
	);
}

/** What the sender wants to be told of one recipient (RFC 3461). */
function Wishes({dsn, address}: {readonly dsn: DsnBody; readonly address: string}) {
	const {notify, orcpt} = dsn.recipients?.[address] ?? {};
	const wishes = [notify && `notify ${notify.join(', ')}`, orcpt && `original recipient ${orcpt}`].filter(Boolean);
	return wishes.length === 0 ? null : <span class="note"> {sanitizeLine(wishes.join('; '))}</span>;
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
						<PlaceLink to={{screen: 'mail', inboxId, open: {inboxId, messageId: id}, filter: {}}}>
							<bdi>{sanitizeLine(subject) || '(no subject)'}</bdi>
						</PlaceLink>{' '}
						from <bdi>{sanitizeLine(from)}</bdi>
					</li>
				))}
			</ul>
		</section>
	);
}
