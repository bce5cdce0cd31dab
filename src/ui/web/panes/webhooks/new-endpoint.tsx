import {useState} from 'preact/hooks';
import {webhookEvents} from '../../../../contract/constants.js';
import {causeOf} from '../../../../lib/errors.js';
import {addEndpoint} from '../../actions/webhooks.js';
import {focusDrawn} from '../../keys/focus.js';
import {useWeb} from '../../web.js';
import {Modal} from '../modal.js';

const eventWords = {'message.received': 'New message', 'fault.hit': 'Fault triggered'} as const;

/** Asks where to send what; what is wrong with it is said below the field. */
export function NewEndpointDialog() {
	const web = useWeb();
	const [failure, setFailure] = useState('');
	const close = () => web.store.update({dialog: undefined});
	const onSubmit = async (event: SubmitEvent) => {
		event.preventDefault();
		const form = new FormData(event.currentTarget as HTMLFormElement);
		const events = webhookEvents.filter(name => form.getAll('event').includes(name));
		try {
			await addEndpoint(web, {url: String(form.get('url')), events});
			close();
			focusDrawn('messages');
		} catch (error) {
			setFailure(causeOf(error));
		}
	};
	return (
		<Modal title="New endpoint">
			<form class="inbox-form" onSubmit={onSubmit}>
				<div class="text-field">
					<label for="endpoint-url">URL</label>
					<input
						id="endpoint-url"
						name="url"
						inputMode="url"
						required
						autocomplete="off"
						placeholder="http://localhost:3000/hooks/mail"
						aria-describedby="endpoint-failure"
						aria-invalid={failure !== ''}
					/>
				</div>
				<fieldset>
					<legend>Send on</legend>
					{webhookEvents.map(name => (
						<label key={name} class="event-choice">
							<input type="checkbox" name="event" value={name} defaultChecked={name === 'message.received'} />
							<span>
								{eventWords[name]} <code>{name}</code>
							</span>
						</label>
					))}
				</fieldset>
				<p id="endpoint-failure" class="failure" role="alert">
					{failure}
				</p>
				<p class="buttons">
					<button type="button" onClick={close}>
						Cancel
					</button>
					<button type="submit" class="main">
						Create
					</button>
				</p>
			</form>
		</Modal>
	);
}
