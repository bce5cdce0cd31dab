import {useEffect, useRef, useState} from 'preact/hooks';
import {ApiError} from '../../../client/errors.js';
import type {CreateInbox, CredentialsBody} from '../../../contract/inboxes.js';
import {causeOf} from '../../../lib/errors.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {parseDuration} from '../../../lib/text/units.js';
import {unseenIn} from '../../core/inboxes.js';
import {type Copyable, keyLabel} from '../../core/keys.js';
import {addInbox} from '../actions/inboxes.js';
import {attempt, copyToClipboard, notify} from '../actions/notices.js';
import {undoRemoval} from '../actions/removals.js';
import {useSelector, useWeb} from '../context.js';
import {webChapters} from '../keys/bindings.js';
import {focusDrawn} from '../keys/focus.js';
import type {WebDialog, WebState} from '../state/state.js';
import {CopyButton} from './copy-button.js';
import {Modal, TextField} from './modal.js';
import {NewEndpointDialog} from './webhooks.js';

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

/** Form for a new inbox. All fields are optional. */
function NewInboxDialog() {
	const web = useWeb();
	const [failure, setFailure] = useState<unknown>();
	const [isBusy, setBusy] = useState(false);
	const onSubmit = async (event: SubmitEvent) => {
		event.preventDefault();
		setBusy(true);
		try {
			await addInbox(web, inputOf(new FormData(event.currentTarget as HTMLFormElement)));
			focusDrawn('messages');
		} catch (error) {
			setFailure(error);
			setBusy(false);
		}
	};
	const errors = failure instanceof ApiError ? failure.errors : [];
	const errorIn = (field: string) => errors.find(error => error.field === field)?.message;
	return (
		<Modal title="New inbox">
			<form class="inbox-form" onSubmit={onSubmit}>
				<TextField name="name" label="Name" error={errorIn('name')} />
				<TextField
					name="email_address"
					label="Address"
					error={errorIn('email_address')}
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
					error={errorIn('ttl')}
					help="For example 30m, 12h, 7d. Leave empty to keep the inbox forever."
				/>
				<TextField
					name="team_id"
					label="Team ID"
					error={errorIn('team_id')}
					help={
						<>
							Share with a team (optional). Find the ID with <code>tinbox teams list</code>.
						</>
					}
				/>
				<p class="failure" role="alert">
					{failure !== undefined && errors.length === 0 && causeOf(failure)}
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

/** Time after which a notice disappears; errors stay until the user closes them. */
const shownMs = 6000;

/** Last notice, also announced to screen readers. */
export function NoticeBar() {
	const {store} = useWeb();
	const notice = useSelector(({notice}) => notice);
	const close = () => store.update({notice: undefined});
	useEffect(() => {
		const end = () => store.update({notice: undefined});
		const timer = notice?.tone === 'info' ? setTimeout(end, shownMs) : undefined;
		return () => clearTimeout(timer);
	}, [notice, store]);
	return (
		<div class="notices">
			{(['info', 'error'] as const).map(tone => (
				<div key={tone} role={tone === 'error' ? 'alert' : 'status'}>
					{notice?.tone === tone && (
						<p class={`notice ${tone}`}>
							<span>{notice.text}</span>
							<button type="button" class="plain" aria-label="Close" onClick={close}>
								✕
							</button>
						</p>
					)}
				</div>
			))}
		</div>
	);
}

/** Pending deletes with buttons to undo them. */
export function RemovalBar() {
	const web = useWeb();
	const removals = useSelector(({removals}) => removals);
	return (
		<div class="removals" role="status" aria-atomic="false">
			{removals.slice(-3).map(removal => (
				<p class="notice" key={`${removal.kind} ${removal.id}`}>
					<span id={`removed-${removal.kind}-${removal.id}`}>
						Deleted <bdi>{removal.what}</bdi>.
					</span>
					<button
						type="button"
						aria-describedby={`removed-${removal.kind}-${removal.id}`}
						aria-keyshortcuts="z"
						onClick={() => undoRemoval(web, removal)}
					>
						Undo
					</button>
				</p>
			))}
		</div>
	);
}

/** Interval between announcements. */
const announceMs = 3000;

/** Announces new mail to screen readers. */
export function Arrivals() {
	const {store} = useWeb();
	const [announced, setAnnounced] = useState({text: '', number: 0});
	const before = useRef(countsOf(store.get()));
	useEffect(() => {
		const announce = () => {
			const counts = countsOf(store.get());
			const grown = [...counts].filter(([id, {count}]) => count > (before.current.get(id)?.count ?? 0));
			const arrived = grown.reduce((sum, [id, {count}]) => sum + count - (before.current.get(id)?.count ?? 0), 0);
			const [only] = grown.map(([, {name}]) => name);
			before.current = counts;
			const where = grown.length === 1 ? only : `${grown.length} inboxes`;
			const text = arrived === 0 ? '' : `${arrived} new ${arrived === 1 ? 'message' : 'messages'} in ${where}`;
			setAnnounced(({number}) => ({text, number: number + 1}));
		};
		const timer = setInterval(announce, announceMs);
		return () => clearInterval(timer);
	}, [store]);
	return (
		<p class="visually-hidden" role="status" aria-label="New mail">
			{/* A new element each time, because repeated text must be announced, too. */}
			<span key={announced.number}>{announced.text}</span>
		</p>
	);
}

function countsOf({inboxes, unseen}: WebState) {
	return new Map(
		inboxes.all
			.map(inbox => ({
				id: inbox.id,
				name: sanitizeLine(inbox.name ?? inbox.email_address),
				count: unseenIn(unseen, inbox),
			}))
			.map(({id, ...rest}) => [id, rest] as const),
	);
}
