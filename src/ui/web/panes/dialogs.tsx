import {type Copyable, keyLabel} from '../../core/keys.js';
import {attempt, copyToClipboard} from '../actions/notices.js';
import {useSelector, useWeb} from '../context.js';
import {webChapters} from '../keys/bindings.js';
import type {WebDialog} from '../state/state.js';
import {Modal} from './modal.js';
import {NewInboxDialog} from './new-inbox.js';
import {SmtpLoginDialog} from './smtp-login.js';
import {NewEndpointDialog} from './webhooks.js';

/** Whatever waits for an answer. The rest of the page is out of reach until then. */
export function Dialogs() {
	const dialog = useSelector(({dialog}) => dialog);
	switch (dialog?.type) {
		case 'question':
			return <Question {...dialog} />;
		case 'new inbox':
			return <NewInboxDialog />;
		case 'smtp login':
			return <SmtpLoginDialog inboxId={dialog.inboxId} />;
		case 'new endpoint':
			return <NewEndpointDialog />;
		case 'copy':
			return <CopyMenu items={dialog.items} />;
		case 'help':
			return <HelpDialog />;
		default:
			return null;
	}
}

function Question({text, yes, onYes}: Extract<WebDialog, {type: 'question'}>) {
	const web = useWeb();
	const close = () => web.store.update({dialog: undefined});
	const onSubmit = (event: SubmitEvent) => {
		event.preventDefault();
		close();
		void attempt(web, onYes);
	};
	return (
		<Modal title={text}>
			<form onSubmit={onSubmit}>
				<p class="buttons">
					<button type="button" onClick={close}>
						Cancel
					</button>
					<button type="submit" class="danger">
						{yes}
					</button>
				</p>
			</form>
		</Modal>
	);
}

/** Every key, from the table that the handler reads, and the command that does the same. */
function HelpDialog() {
	return (
		<Modal title="Keyboard shortcuts">
			<form method="dialog">
				<button type="submit">Close</button>
			</form>
			<div class="keys">
				{webChapters.map(({title, bindings}) => (
					<section key={title}>
						<h3>{title}</h3>
						<dl>
							{bindings.map(({keys, does, command}) => (
								<div key={does}>
									<dt>
										{keys.map(key => (
											<kbd key={key}>{keyLabel(key)}</kbd>
										))}
									</dt>
									<dd>
										{does}
										{command !== undefined && <code>tinbox {command}</code>}
									</dd>
								</div>
							))}
						</dl>
					</section>
				))}
			</div>
		</Modal>
	);
}

/** Asks which of several texts to copy, by a key or a click. */
function CopyMenu({items}: {readonly items: readonly Copyable[]}) {
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
