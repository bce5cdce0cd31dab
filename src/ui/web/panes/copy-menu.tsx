import type {Copyable} from '../../core/copyable.js';
import {attempt} from '../actions/attempt.js';
import {copyToClipboard} from '../actions/copy.js';
import {useWeb} from '../web.js';
import {Modal} from './modal.js';

/** Asks which of several texts to copy, by a key or a click. */
export function CopyMenu({items}: {readonly items: readonly Copyable[]}) {
	const web = useWeb();
	const copy = ({text}: Copyable) => {
		web.store.update({dialog: undefined});
		void attempt(web, async () => copyToClipboard(web, text));
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const item = items.find(({key}) => key === event.key);
		if (item && !event.ctrlKey && !event.metaKey && !event.altKey) {
			event.preventDefault();
			copy(item);
		}
	};
	return (
		<Modal title="Copy">
			{/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it do the same */}
			<div class="copy-menu" onKeyDown={onKeyDown}>
				{items.map(item => (
					<button key={item.key} type="button" class="plain" aria-keyshortcuts={item.key} onClick={() => copy(item)}>
						<span aria-hidden="true">
							<kbd>{item.key}</kbd>
						</span>{' '}
						{item.label}
					</button>
				))}
			</div>
		</Modal>
	);
}
