import {addressFields} from '../../../../contract/descriptions.js';
import type {MailboxBody} from '../../../../contract/messages.js';
import {phrase} from '../../../../lib/mailboxes.js';
import {sanitizeLine} from '../../../../lib/sanitize.js';
import {formatSize} from '../../../../lib/units.js';
import {CopyButton} from '../copy-button.js';
import {Actions, type MessageProps} from './actions.js';

/** Mailboxes of a field that are shown at first. */
const maxMailboxes = 20;

/** What is said of a message whatever tab is open. */
export function MessageHead({open, message, preview}: MessageProps) {
	const {subject, recipients, date, received_at: received, size, warnings, codes} = message;
	const fields = [...addressFields(message), ['Reply-To', recipients.reply_to] as const];
	return (
		<header class="message-head">
			<h2>{sanitizeLine(subject) || '(no subject)'}</h2>
			<dl>
				{fields.map(
					([name, mailboxes]) => mailboxes.length > 0 && <Field key={name} name={name} mailboxes={mailboxes} />,
				)}
				<dt>Received</dt>
				<dd>
					<Time iso={received} />
					{date !== null && !isClose(date, received) && (
						<>
							, dated <Time iso={date} />
						</>
					)}
					<span class="size">{formatSize(size)}</span>
				</dd>
				{codes[0] !== undefined && (
					<>
						<dt>Code</dt>
						<dd>
							<code class="code">{codes[0]}</code> <CopyButton text={codes[0]} what={`the code ${codes[0]}`} />
						</dd>
					</>
				)}
			</dl>
			<Actions open={open} message={message} preview={preview} />
			{warnings.map(warning => (
				<p key={warning} class="warning">
					{sanitizeLine(warning)}
				</p>
			))}
		</header>
	);
}

function Field({name, mailboxes}: {readonly name: string; readonly mailboxes: readonly MailboxBody[]}) {
	const rest = mailboxes.slice(maxMailboxes);
	return (
		<>
			<dt>{name}</dt>
			<dd>
				<Mailboxes mailboxes={mailboxes.slice(0, maxMailboxes)} />
				{rest.length > 0 && (
					<details>
						<summary>{rest.length} more</summary>
						<Mailboxes mailboxes={rest} />
					</details>
				)}
			</dd>
		</>
	);
}

/** Each name and address apart from its neighbours, whatever direction it is written in. */
function Mailboxes({mailboxes}: {readonly mailboxes: readonly MailboxBody[]}) {
	return (
		<>
			{mailboxes.map(({name, address}, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: an address may stand there twice
				<span key={index} class="mailbox">
					{index > 0 && ', '}
					{name !== null && (
						<>
							<bdi class="name">{phrase(name)}</bdi>{' '}
						</>
					)}
					<bdi>{name === null ? sanitizeLine(address) : `<${sanitizeLine(address)}>`}</bdi>
				</span>
			))}
		</>
	);
}

/** A moment, by the clock of who reads. */
export function Time({iso}: {readonly iso: string}) {
	return <time dateTime={iso}>{new Date(iso).toLocaleString('sv')}</time>;
}

/** Less than a minute apart: nobody need be told of both. */
function isClose(one: string, other: string): boolean {
	return Math.abs(Date.parse(one) - Date.parse(other)) < 60_000;
}
