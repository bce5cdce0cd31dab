import type {ComponentChildren} from 'preact';
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {ApiError} from '../../../client/errors.js';
import {webhookEvents} from '../../../contract/constants.js';
import type {CreateInbox, CredentialsBody} from '../../../contract/inboxes.js';
import {causeOf} from '../../../lib/errors.js';
import {parseDuration} from '../../../lib/text/units.js';
import {factRows} from '../../core/format.js';
import {type Copyable, keyLabel} from '../../core/keys.js';
import {addInbox} from '../actions/inboxes.js';
import {attempt, copyToClipboard, notify} from '../actions/notices.js';
import {addEndpoint} from '../actions/webhooks.js';
import {useSelector, useWeb} from '../context.js';
import {webChapters} from '../keys/bindings.js';
import {focusDrawn} from '../keys/focus.js';
import type {WebDialog} from '../state/state.js';
import {CopyButton} from './panes.js';

/** Open modal dialog, if any. */
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
	const onSubmit = (event: SubmitEvent) => {
		event.preventDefault();
		web.store.update({dialog: undefined});
		void attempt(web, onYes);
	};
	return (
		<Modal title={text}>
			<form onSubmit={onSubmit}>
				<Buttons submit={yes} look="danger" />
			</form>
		</Modal>
	);
}

/** All keys, with the commands that do the same. */
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

/** Menu of texts to copy. */
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

type NewDialogProps = {
	readonly title: string;
	/** Sends the form. If it rejects, the dialog stays open. */
	readonly onSubmit: (form: FormData) => Promise<unknown>;
	/** Text for a failure, above the buttons. */
	readonly reasonOf?: (failure: unknown) => string;
	/** Fields of the form, after a failure with errors below them. */
	readonly children: (failure: unknown) => ComponentChildren;
};

/** Form for a new object. */
function NewDialog({title, onSubmit, reasonOf = causeOf, children}: NewDialogProps) {
	const {store} = useWeb();
	const [failure, setFailure] = useState<unknown>();
	const [isBusy, setBusy] = useState(false);
	const submit = async (event: SubmitEvent) => {
		event.preventDefault();
		setBusy(true);
		try {
			await onSubmit(new FormData(event.currentTarget as HTMLFormElement));
			store.update({dialog: undefined});
			focusDrawn('messages');
		} catch (error) {
			setFailure(error);
			setBusy(false);
		}
	};
	return (
		<Modal title={title}>
			<form class="inbox-form" onSubmit={submit}>
				{children(failure)}
				<p id="form-failure" class="failure" role="alert">
					{failure !== undefined && reasonOf(failure)}
				</p>
				<Buttons submit="Create" look="main" isBusy={isBusy} />
			</form>
		</Modal>
	);
}

type ButtonsProps = {readonly submit: string; readonly look: 'main' | 'danger'; readonly isBusy?: boolean};

function Buttons({submit, look, isBusy = false}: ButtonsProps) {
	const {store} = useWeb();
	return (
		<p class="buttons row wrap">
			<button type="button" onClick={() => store.update({dialog: undefined})}>
				Cancel
			</button>
			<button type="submit" class={look} disabled={isBusy}>
				{submit}
			</button>
		</p>
	);
}

function fieldErrorsOf(failure: unknown) {
	return failure instanceof ApiError ? failure.errors : [];
}

/** Fields for a new inbox, all optional. */
const inboxFields = [
	{name: 'name', label: 'Name'},
	{
		name: 'email_address',
		label: 'Address',
		help: (
			<>
				Leave empty for a random address. <code>*@shop.test</code> catches a domain, <code>*</code> catches everything
				else.
			</>
		),
	},
	{name: 'ttl', label: 'Lifetime', help: 'For example 30m, 12h, 7d. Leave empty to keep the inbox forever.'},
	{
		name: 'team_id',
		label: 'Team ID',
		help: (
			<>
				Share with a team (optional). Find the ID with <code>tinbox teams list</code>.
			</>
		),
	},
];

function NewInboxDialog() {
	const web = useWeb();
	return (
		<NewDialog
			title="New inbox"
			onSubmit={async form => addInbox(web, inputOf(form))}
			reasonOf={failure => (fieldErrorsOf(failure).length > 0 ? '' : causeOf(failure))}
		>
			{failure =>
				inboxFields.map(({name, label, help}) => {
					const error = fieldErrorsOf(failure).find(({field}) => field === name)?.message;
					return (
						<div key={name} class="text-field">
							<label for={`field-${name}`}>{label}</label>
							<input
								id={`field-${name}`}
								name={name}
								autocomplete="off"
								spellcheck={false}
								aria-describedby={`about-${name}`}
								aria-invalid={error !== undefined}
							/>
							<p id={`about-${name}`} class={error === undefined ? 'help' : 'failure'}>
								{error === undefined ? help : `${label} ${error}.`}
							</p>
						</div>
					);
				})
			}
		</NewDialog>
	);
}

/** Input of the form. Throws an `ApiError` for an invalid lifetime. */
function inputOf(form: FormData): CreateInbox {
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

const eventWords = {'message.received': 'New message', 'fault.hit': 'Fault triggered'} as const;

function NewEndpointDialog() {
	const web = useWeb();
	const create = async (form: FormData) =>
		addEndpoint(web, {
			url: String(form.get('url')),
			events: webhookEvents.filter(name => form.getAll('event').includes(name)),
		});
	return (
		<NewDialog title="New endpoint" onSubmit={create}>
			{failure => (
				<>
					<div class="text-field">
						<label for="endpoint-url">URL</label>
						<input
							id="endpoint-url"
							name="url"
							inputMode="url"
							required
							autocomplete="off"
							placeholder="http://localhost:3000/hooks/mail"
							aria-describedby="form-failure"
							aria-invalid={failure !== undefined}
						/>
					</div>
					<fieldset>
						<legend>Send on</legend>
						{webhookEvents.map(name => (
							<label key={name} class="event-choice row">
								<input type="checkbox" name="event" value={name} defaultChecked={name === 'message.received'} />
								<span>
									{eventWords[name]} <code>{name}</code>
								</span>
							</label>
						))}
					</fieldset>
				</>
			)}
		</NewDialog>
	);
}

/** SMTP host, ports and login of an inbox. */
function SmtpLoginDialog({inboxId}: {readonly inboxId: string}) {
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
			<p class="buttons row wrap">
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
	const ports = {Port: String(port), 'TLS port': tlsPort === null ? null : String(tlsPort)};
	return (
		<dl class="login-facts">
			{factRows({Host: host, ...ports, User: username, Password: password, URL: url}).map(([label, text]) => (
				<div key={label}>
					<dt>{label}</dt>
					<dd class="row">
						<code>{text}</code>
						<CopyButton text={text} what={label} />
					</dd>
				</div>
			))}
		</dl>
	);
}

/** Modal dialog. The browser traps the focus and restores it afterwards. */
function Modal({title, children}: {readonly title: string; readonly children: ComponentChildren}) {
	const {store} = useWeb();
	const dialog = useRef<HTMLDialogElement>(null);
	const close = () => store.update({dialog: undefined});
	/** Closes the dialog before the browser's own event, which would be too late for the next key. */
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === 'Escape') {
			event.preventDefault();
			close();
		}
	};
	useLayoutEffect(() => {
		const {current} = dialog;
		current?.showModal();
		return () => current?.close();
	}, []);
	return (
		<dialog ref={dialog} aria-labelledby="dialog-title" onKeyDown={onKeyDown} onClose={() => dialog.current && close()}>
			<h2 id="dialog-title">{title}</h2>
			{children}
			<ModalNotice />
		</dialog>
	);
}

/** Announces notices to screen readers, which ignore the page below a dialog. */
function ModalNotice() {
	const notice = useSelector(({notice}) => notice);
	const [before] = useState(notice);
	return (
		<p class="visually-hidden" role="status">
			{notice !== before && notice?.text}
		</p>
	);
}
