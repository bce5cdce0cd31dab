import {useRef} from 'preact/hooks';
import type {BounceKind} from '../../../../contract/constants.js';
import type {FullMessageBody} from '../../../../contract/messages.js';
import {attempt} from '../../actions/attempt.js';
import {bounceMessage} from '../../actions/bounce.js';
import {removeMessage} from '../../actions/removals.js';
import type {OpenMessage} from '../../state/route.js';
import {useWeb} from '../../web.js';
import {CopyButton} from '../copy-button.js';
import {type Preview, pathOf} from './part.js';

/** The open message as its address names it, as it was read, and where it is shown in isolation and can be downloaded. */
export type MessageProps = {
	readonly open: OpenMessage;
	readonly message: FullMessageBody;
	readonly preview: Preview | undefined;
};

/** What can be done with the message. */
export function Actions({open, message, preview}: MessageProps) {
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

const words: Readonly<Record<BounceKind, string>> = {
	bounce: 'Send bounce',
	complaint: 'Send spam complaint',
	autoreply: 'Send automatic reply',
};

/** A menu of messages that can be returned to the sender. */
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
							{words[kind]}
						</button>
					</li>
				))}
			</ul>
		</details>
	);
}
