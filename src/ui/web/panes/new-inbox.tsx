import {useState} from 'preact/hooks';
import {ApiError} from '../../../client/errors.js';
import type {CreateInbox} from '../../../contract/inboxes.js';
import {causeOf} from '../../../lib/errors.js';
import {parseDuration} from '../../../lib/text/units.js';
import {addInbox} from '../actions/inboxes.js';
import {useWeb} from '../context.js';
import {focusDrawn} from '../keys/focus.js';
import {Modal, TextField} from './modal.js';

/** Everything may be empty: then the daemon chooses an address, and the inbox stays. */
export function NewInboxDialog() {
	const web = useWeb();
	const [failure, setFailure] = useState<unknown>();
	const [isBusy, setBusy] = useState(false);
	const onSubmit = async (event: SubmitEvent) => {
		event.preventDefault();
		setBusy(true);
		try {
			await addInbox(web, wantedIn(new FormData(event.currentTarget as HTMLFormElement)));
			focusDrawn('messages');
		} catch (error) {
			setFailure(error);
			setBusy(false);
		}
	};
	const wrong = failure instanceof ApiError ? failure.errors : [];
	const wrongIn = (field: string) => wrong.find(error => error.field === field)?.message;
	return (
		<Modal title="New inbox">
			<form class="inbox-form" onSubmit={onSubmit}>
				<TextField name="name" label="Name" wrong={wrongIn('name')} />
				<TextField
					name="email_address"
					label="Address"
					wrong={wrongIn('email_address')}
					help={
						<>
							Leave empty for a random address. <code>*@shop.test</code> catches a domain, <code>*</code> catches
							everything else.
						</>
					}
				/>
				<TextField
					name="ttl"
					label="Lifetime"
					wrong={wrongIn('ttl')}
					help="For example 30m, 12h, 7d. Leave empty to keep the inbox forever."
				/>
				<TextField
					name="team_id"
					label="Team ID"
					wrong={wrongIn('team_id')}
					help={
						<>
							Share with a team (optional). Find the ID with <code>tinbox teams list</code>.
						</>
					}
				/>
				<p class="failure" role="alert">
					{failure !== undefined && wrong.length === 0 && causeOf(failure)}
				</p>
				<p class="buttons">
					<button type="button" onClick={() => web.store.update({dialog: undefined})}>
						Cancel
					</button>
					<button type="submit" class="main" disabled={isBusy}>
						Create
					</button>
				</p>
			</form>
		</Modal>
	);
}

/** Throws for a lifetime that is none, as the daemon does for the rest. */
function wantedIn(form: FormData): CreateInbox {
	const textIn = (name: string) => String(form.get(name) ?? '').trim() || undefined;
	const lifetime = textIn('ttl');
	const ms = lifetime === undefined ? undefined : parseDuration(lifetime);
	if (lifetime !== undefined && ms === undefined) {
		const errors = [{field: 'ttl', message: 'must be a duration such as 30m, 12h or 7d'}];
		throw new ApiError({status: 400, code: 'invalid_input', detail: 'The lifetime is not a duration.', errors});
	}

	return {
		name: textIn('name'),
		email_address: textIn('email_address'),
		ttl: ms === undefined ? undefined : Math.round(ms / 1000),
		team_id: textIn('team_id'),
	};
}
