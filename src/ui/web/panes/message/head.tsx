import {useRef} from 'preact/hooks';
import type {BounceKind} from '../../../../contract/constants.js';
import {addressFields} from '../../../../contract/descriptions.js';
import type {FullMessageBody, MailboxBody} from '../../../../contract/messages.js';
import {phrase, sanitizeLine} from '../../../../lib/text/sanitize.js';
import {formatSize} from '../../../../lib/text/units.js';
import {bounceMessage} from '../../actions/message.js';
import {attempt} from '../../actions/notices.js';
import {removeMessage} from '../../actions/removals.js';
import {useWeb} from '../../context.js';
import type {OpenMessage} from '../../state/route.js';
import {CopyButton} from '../copy-button.js';
import {type Preview, pathOf} from './part.js';

/** Number of mailboxes of a field that are shown at first. */
const maxMailboxes = 20;

/** Head of the message above the tabs. */
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

/** Mailboxes, each isolated for its text direction. */
function Mailboxes({mailboxes}: {readonly mailboxes: readonly MailboxBody[]}) {
	return (
		<>
			{mailboxes.map(({name, address}, index) => (
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

/** Time in the time zone of the browser. */
export function Time({iso}: {readonly iso: string}) {
	return <time dateTime={iso}>{new Date(iso).toLocaleString('sv')}</time>;
}

/** True if two times are less than a minute apart. */
function isClose(one: string, other: string): boolean {
	return Math.abs(Date.parse(one) - Date.parse(other)) < 60_000;
}

/** Open message, its content, and its isolated preview. */
export type MessageProps = {
	readonly open: OpenMessage;
	readonly message: FullMessageBody;
	readonly preview: Preview | undefined;
};

/** Actions on the message. */
function Actions({open, message, preview}: MessageProps) {
	const web = useWeb();
	const path = pathOf(preview);
	return (
		<div class="actions">
			<CopyButton text={message.id} what="of the message">
				Copy ID
			</CopyButton>
			{path !== undefined && (
				<a class="button small" href={`${path}/raw`} download>
					Download .eml
				</a>
			)}
			<BounceMenu open={open} message={message} />
			<button type="button" class="small danger" onClick={() => removeMessage(web, message)}>
				Delete
			</button>
		</div>
	);
}

const bounceWords: Readonly<Record<BounceKind, string>> = {
	bounce: 'Send bounce',
	complaint: 'Send spam complaint',
	autoreply: 'Send automatic reply',
};

/** Menu of messages to return to the sender. */
function BounceMenu({open, message}: Omit<MessageProps, 'preview'>) {
	const web = useWeb();
	const menu = useRef<HTMLDetailsElement>(null);
	if (message.envelope.from === '') {
		return null;
	}

	const close = () => {
		if (menu.current?.open) {
			menu.current.open = false;
			menu.current.querySelector('summary')?.focus();
		}
	};
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === 'Escape' && menu.current?.open) {
			event.preventDefault();
			close();
		}
	};
	const choose = (kind: BounceKind) => {
		close();
		void attempt(web, async () => bounceMessage(web, open, kind));
	};
	return (
		<details class="menu" ref={menu} onKeyDown={onKeyDown}>
			<summary class="button small">Bounce or reply …</summary>
			<ul>
				{(['bounce', 'complaint', 'autoreply'] as const).map(kind => (
					<li key={kind}>
						<button type="button" class="plain" onClick={() => choose(kind)}>
							{bounceWords[kind]}
						</button>
					</li>
				))}
			</ul>
		</details>
	);
}
