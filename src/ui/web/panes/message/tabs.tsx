import {useRef} from 'preact/hooks';
import type {FullMessageBody} from '../../../../contract/messages.js';
import {tabsOf} from '../../actions/open-message.js';
import {countOf} from '../../state/message.js';
import {type MessageTab, tabWords} from '../../state/route.js';

type TabsProps = {
	readonly message: FullMessageBody;
	readonly shown: MessageTab;
	readonly onOpen: (tab: MessageTab) => void;
};

/** The ways to look at the message; those that it does not have are left out. */
export function MessageTabs({message, shown, onOpen}: TabsProps) {
	const list = useRef<HTMLDivElement>(null);
	const there = tabsOf(message);
	const moveTo = (index: number) => {
		const tab = there.at(index % there.length);
		if (tab !== undefined) {
			onOpen(tab);
			list.current?.querySelector<HTMLElement>(`#tab-${tab}`)?.focus();
		}
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const moves: Readonly<Record<string, number>> = {
			ArrowRight: there.indexOf(shown) + 1,
			ArrowLeft: there.indexOf(shown) - 1,
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
			{there.map(tab => (
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
