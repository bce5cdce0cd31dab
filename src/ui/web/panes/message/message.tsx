import {useRef} from 'preact/hooks';
import type {FullMessageBody} from '../../../../contract/messages.js';
import {showTab, tabsOf} from '../../actions/message.js';
import {useSelector, useWeb} from '../../context.js';
import {countOf, type FailureKind, shownTab} from '../../state/message.js';
import {openMessageIn} from '../../state/message-list.js';
import {isInboxId, type MessageTab, type OpenMessage, tabWords} from '../../state/route.js';
import {AttachmentsTab, CodesTab} from './findings.js';
import {MessageHead, type MessageProps} from './head.js';
import {HtmlTab} from './html.js';
import {FailedPart, PartView, usePart, usePreview} from './part.js';
import {SessionTab, WebhooksTab} from './session.js';
import {HeadersTab, SourceTab, TextTab} from './text.js';

/** Message of the route. */
export function MessageView() {
	const open = useSelector(openMessageIn);
	// The name of an inbox in the URL is about to be replaced by its id.
	const isKnown = open !== undefined && isInboxId(open.inboxId);
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
	return (
		<>
			<MessageHead open={open} message={message} preview={preview} />
			<MessageTabs message={message} shown={shown} onOpen={tab => showTab(web, tab)} />
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it, as the tabs pattern of the ARIA practices has it */}
			<div id="message-tab" class={`tab ${shown}`} role="tabpanel" tabIndex={0} aria-labelledby={`tab-${shown}`}>
				<TabContent tab={shown} open={open} message={message} preview={preview} />
			</div>
		</>
	);
}

function TabContent({tab, open, message, preview}: MessageProps & {readonly tab: MessageTab}) {
	switch (tab) {
		case 'html':
			return <HtmlTab open={open} message={message} preview={preview} />;
		case 'text':
			return <TextTab message={message} />;
		case 'headers':
			return <HeadersTab message={message} />;
		case 'source':
			return <SourceTab open={open} size={message.size} />;
		case 'attachments':
			return <AttachmentsTab open={open} message={message} preview={preview} />;
		case 'codes':
			return <CodesTab message={message} />;
		case 'session':
			return <SessionTab open={open} message={message} />;
		case 'webhooks':
			return <WebhooksTab open={open} />;
	}
}

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
