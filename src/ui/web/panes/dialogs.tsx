import {attempt} from '../actions/attempt.js';
import type {WebDialog} from '../state/state.js';
import {useWatched, useWeb} from '../web.js';
import {CopyMenu} from './copy-menu.js';
import {HelpDialog} from './help.js';
import {Modal} from './modal.js';
import {NewInboxDialog} from './new-inbox.js';
import {SmtpLoginDialog} from './smtp-login.js';
import {NewEndpointDialog} from './webhooks/new-endpoint.js';

/** Whatever waits for an answer. The rest of the page is out of reach until then. */
export function Dialogs() {
	const dialog = useWatched(({dialog}) => dialog);
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
