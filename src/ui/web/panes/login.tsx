import {useEffect, useRef, useState} from 'preact/hooks';
import {causeOf} from '../../../lib/errors.js';
import {logIn} from '../actions/session.js';
import {useSelector, useWeb} from '../context.js';

/** Login by an API key or a token. The route stays the same. */
export function LoginPage() {
	const web = useWeb();
	const reason = useSelector(({notice}) => notice?.text ?? '');
	const [failure, setFailure] = useState('');
	const [isBusy, setBusy] = useState(false);
	const field = useRef<HTMLInputElement>(null);
	useEffect(() => field.current?.focus(), []);
	const onSubmit = async (event: SubmitEvent) => {
		event.preventDefault();
		setBusy(true);
		setFailure('');
		try {
			await logIn(web, field.current?.value.trim() ?? '');
		} catch (error) {
			setFailure(causeOf(error));
			setBusy(false);
			field.current?.select();
		}
	};
	return (
		<main class="login">
			<form onSubmit={onSubmit}>
				<h1>tinbox</h1>
				<label for="secret">API key or token</label>
				<input
					id="secret"
					type="password"
					ref={field}
					required
					autocomplete="current-password"
					spellcheck={false}
					aria-describedby="secret-help"
					aria-invalid={failure !== ''}
				/>
				<p class="failure" role="alert">
					{failure || reason}
				</p>
				<button type="submit" class="main" disabled={isBusy}>
					Log in
				</button>
				<p id="secret-help" class="help">
					Run <code>tinbox open</code> to open this page logged in, or <code>tinbox daemon start --format env</code> to
					print a key.
				</p>
			</form>
		</main>
	);
}
