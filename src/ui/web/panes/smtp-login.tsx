import {useEffect, useRef, useState} from 'preact/hooks';
import type {CredentialsBody} from '../../../contract/inboxes.js';
import {causeOf} from '../../../lib/errors.js';
import {notify} from '../actions/notices.js';
import {useSelector, useWeb} from '../context.js';
import {CopyButton} from './copy-button.js';
import {Modal} from './modal.js';

/** Where a program sends to, and the login with which all its mail goes to one inbox. */
export function SmtpLoginDialog({inboxId}: {readonly inboxId: string}) {
	const web = useWeb();
	const {api, store} = web;
	const inbox = useSelector(({inboxes}) => inboxes.all.find(({id}) => id === inboxId));
	const [login, setLogin] = useState<CredentialsBody>();
	const [failure, setFailure] = useState<unknown>();
	const [isAsking, setAsking] = useState<boolean>();
	const button = useRef<HTMLButtonElement>(null);
	useEffect(() => {
		if (isAsking !== undefined) {
			button.current?.focus();
		}
	}, [isAsking]);
	const rotate = () => {
		setAsking(false);
		const onMade = (made: CredentialsBody) => {
			setLogin(made);
			notify(web, 'Replaced the password.');
		};
		api.inboxes.rotateCredentials(inboxId).then(onMade, setFailure);
	};
	useEffect(() => {
		api.inboxes.credentials(inboxId).then(setLogin, setFailure);
	}, [api, inboxId]);
	return (
		<Modal title="SMTP login">
			<p class="help">
				{inbox?.routing === 'recipients'
					? 'Mail sent with this login lands in the inboxes of its recipients.'
					: `Mail sent with this login lands in ${inbox?.email_address ?? 'this inbox'}, whatever the recipient.`}
			</p>
			<p class="failure" role="alert">
				{failure !== undefined && causeOf(failure)}
			</p>
			{login && <Facts login={login} />}
			<p class="buttons">
				{isAsking ? (
					<button key="yes" ref={button} type="button" class="danger" onClick={rotate}>
						Replace (the old one stops working)
					</button>
				) : (
					<button key="ask" ref={button} type="button" onClick={() => setAsking(true)}>
						Replace password …
					</button>
				)}
				<button type="button" onClick={() => store.update({dialog: undefined})}>
					Close
				</button>
			</p>
		</Modal>
	);
}

function Facts({login}: {readonly login: CredentialsBody}) {
	const {host, port, tls_port: tlsPort, username, password, url} = login;
	const facts = {
		Host: host,
		Port: String(port),
		'TLS port': tlsPort === null ? null : String(tlsPort),
		User: username,
		Password: password,
		URL: url,
	};
	return (
		<dl class="login-facts">
			{Object.entries(facts).map(
				([label, text]) =>
					text !== null && (
						<div key={label}>
							<dt>{label}</dt>
							<dd>
								<code>{text}</code>
								<CopyButton text={text} what={label} />
							</dd>
						</div>
					),
			)}
		</dl>
	);
}
