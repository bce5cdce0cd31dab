import type {ComponentChildren} from 'preact';
import {useRef} from 'preact/hooks';
import {type BounceKind, isUuid} from '../../../../contract/constants.js';
import {addressFields} from '../../../../contract/descriptions.js';
import type {FullMessageBody, MailboxBody} from '../../../../contract/messages.js';
import {phrase, sanitizeLine} from '../../../../lib/text/sanitize.js';
import {formatSize} from '../../../../lib/text/units.js';
import {openMessageIn} from '../../actions/message-list.js';
import {attempt} from '../../actions/notices.js';
import {bounceMessage, countOf, shownTab, showTab, tabsOf} from '../../actions/open-message.js';
import {removeMessage} from '../../actions/removals.js';
import {useSelector, useWeb} from '../../context.js';
import {type MessageTab, type OpenMessage, tabWords} from '../../state/route.js';
import type {FailureKind} from '../../state/state.js';
import {CopyButton} from '../panes.js';
import {FailedPart, type MessageProps, PartView, pathOf, Time, usePart, usePreview} from './part.js';
import {SessionTab, WebhooksTab} from './session.js';
import {AttachmentsTab, CodesTab, HeadersTab, HtmlTab, SourceTab, TextTab} from './tabs.js';

/** Message of the route. */
export function MessageView() {
	const open = useSelector(openMessageIn);
	// The name of an inbox in the URL is about to be replaced by its id.
	const isKnown = open !== undefined && isUuid(open.inboxId);
	return (
		<section class="message">
			{isKnown && <OpenedMessage key={`${open.inboxId} ${open.messageId}`} open={open} />}
			{!open && <p class="empty">Select a message to read it.</p>}
		</section>
	);
}

function OpenedMessage({open}: {readonly open: OpenMessage}) {
	const part = usePart(open, 'message');
	const preview = usePreview(open);
	if (part?.status === 'failed') {
		return <FailedMessage open={open} reason={part.reason} kind={part.kind} />;
	}

	return (
		<PartView open={open} name="message" part={part} what="the message">
			{message => <LoadedMessage open={open} message={message} preview={preview} />}
		</PartView>
	);
}

type FailedMessageProps = {readonly open: OpenMessage; readonly reason: string; readonly kind: FailureKind};

/** Error page of a message, with its source if the daemon can return that. */
function FailedMessage({open, reason, kind}: FailedMessageProps) {
	return (
		<>
			<header class="message-head">
				<h2>{kind === 'gone' ? 'This message no longer exists' : 'This message cannot be shown'}</h2>
				{kind === 'gone' ? (
					<p class="failure" role="alert">
						{reason}
					</p>
				) : (
					<FailedPart open={open} name="message" reason={reason} />
				)}
			</header>
			{kind === 'refused' && (
				<div class="tab source">
					<SourceTab open={open} size={undefined} />
				</div>
			)}
		</>
	);
}

function LoadedMessage({open, message, preview}: MessageProps) {
	const web = useWeb();
	const shown = shownTab(message, open.tab);
	const Content = contents[shown];
	return (
		<>
			<MessageHead open={open} message={message} preview={preview} />
			<MessageTabs message={message} shown={shown} onOpen={tab => showTab(web, tab)} />
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it, as the tabs pattern of the ARIA practices has it */}
			<div id="message-tab" class={`tab ${shown}`} role="tabpanel" tabIndex={0} aria-labelledby={`tab-${shown}`}>
				<Content open={open} message={message} preview={preview} />
			</div>
		</>
	);
}

const contents: Readonly<Record<MessageTab, (props: MessageProps) => ComponentChildren>> = {
	html: HtmlTab,
	text: TextTab,
	headers: HeadersTab,
	source: ({open, message}) => <SourceTab open={open} size={message.size} />,
	attachments: AttachmentsTab,
	codes: CodesTab,
	session: SessionTab,
	webhooks: WebhooksTab,
};

type TabsProps = {
	readonly message: FullMessageBody;
	readonly shown: MessageTab;
	readonly onOpen: (tab: MessageTab) => void;
};

/** Tabs of the message. */
function MessageTabs({message, shown, onOpen}: TabsProps) {
	const list = useRef<HTMLDivElement>(null);
	const tabs = tabsOf(message);
	const moveTo = (index: number) => {
		const tab = tabs.at(index % tabs.length);
		if (tab !== undefined) {
			onOpen(tab);
			list.current?.querySelector<HTMLElement>(`#tab-${tab}`)?.focus();
		}
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const moves: Readonly<Record<string, number>> = {
			ArrowRight: tabs.indexOf(shown) + 1,
			ArrowLeft: tabs.indexOf(shown) - 1,
			Home: 0,
			End: -1,
		};
		const to = moves[event.key];
		if (to !== undefined) {
			event.preventDefault();
			event.stopPropagation();
			moveTo(to);
		}
	};
	return (
		<div class="tabs" role="tablist" aria-label="Message views" ref={list} onKeyDown={onKeyDown}>
			{tabs.map(tab => (
				<button
					key={tab}
					type="button"
					role="tab"
					id={`tab-${tab}`}
					aria-selected={tab === shown}
					aria-controls="message-tab"
					tabIndex={tab === shown ? 0 : -1}
					onClick={() => onOpen(tab)}
				>
					{tabWords[tab]}
					{!!countOf(tab, message) && (
						<>
							{' '}
							<span class="count">{countOf(tab, message)?.toLocaleString('en')}</span>
						</>
					)}
				</button>
			))}
		</div>
	);
}

/** Number of mailboxes of a field that are shown at first. */
const maxMailboxes = 20;

/** Head of the message above the tabs. */
function MessageHead({open, message, preview}: MessageProps) {
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

/** True if two times are less than a minute apart. */
function isClose(one: string, other: string): boolean {
	return Math.abs(Date.parse(one) - Date.parse(other)) < 60_000;
}

/** Actions on the message. */
function Actions({open, message, preview}: MessageProps) {
	const web = useWeb();
	const path = pathOf(preview);
	return (
		<div class="actions row wrap">
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
