import {useEffect, useMemo, useState} from 'preact/hooks';
import type {DaemonBody} from '../../../../contract/daemon.js';
import type {InboxBody} from '../../../../contract/inboxes.js';
import {sanitizeLine, shellQuote} from '../../../../lib/text/sanitize.js';
import {filterList, scrollToEnd, switchFollow} from '../../actions/messages.js';
import {attempt} from '../../actions/notices.js';
import {emptyInbox, removeInbox} from '../../actions/removals.js';
import {useSelector, useWeb} from '../../context.js';
import {
	isFilter,
	keyOfPlace,
	type ListPlace,
	listPlace,
	openMessageIn,
	type ShownRows,
	shownList,
	shownRows,
	sticksToNewest,
	updatedList,
	withView,
} from '../../state/message-list.js';
import {CopyButton} from '../copy-button.js';
import {PlaceLink} from '../panes.js';
import {VirtualList} from '../virtual-list.js';
import {FilterForm} from './filter.js';
import {MailRow, rowIdOf} from './row.js';

/** List of messages with its filter. */
export function MessageList() {
	const web = useWeb();
	useSelector(({list}) => list);
	useSelector(({inboxes}) => inboxes);
	useSelector(({removals}) => removals);
	useSelector(({route}) => route);
	const state = web.store.get();
	const place = listPlace(state);
	if (place === undefined) {
		return null;
	}

	const shown = shownRows(state);
	const isEmpty = shown.isRead && shown.total === 0 && shown.isComplete;
	const {above, follow, problem} = shownList(state);
	const isFiltered = isFilter(place.filter);
	const count = countOf(shown, isFiltered);
	return (
		<section class="mails" aria-busy={!shown.isRead}>
			<FilterForm key={place.inboxId ?? ''} filter={place.filter} problem={problem}>
				<button
					type="button"
					class="plain"
					aria-pressed={follow}
					title="Open each new message as it arrives (f)"
					onClick={() => switchFollow(web)}
				>
					Auto-open<span class="visually-hidden"> new mail</span>
				</button>
			</FilterForm>
			<div class="mails-list">
				{above > 0 && (
					<button type="button" class="main above" onClick={() => scrollToEnd(web, 'newest')}>
						{above.toLocaleString('en')} new <span aria-hidden="true">↑</span>
					</button>
				)}
				{isEmpty && problem === undefined ? (
					<EmptyList place={place} />
				) : (
					<MessageRows key={keyOfPlace(place)} place={place} shown={shown} />
				)}
			</div>
			<p class="mails-count help" aria-hidden={isFiltered}>
				{count}
			</p>
			<p class="visually-hidden" role="status">
				{isFiltered && shown.isRead && problem === undefined && (count || 'No messages found')}
			</p>
		</section>
	);
}

function countOf({total, isComplete, isRead}: ReturnType<typeof shownRows>, isFiltered: boolean): string {
	const count = `${total.toLocaleString('en')}${isComplete ? '' : '+'} ${total === 1 && isComplete ? 'message' : 'messages'}`;
	return isRead && total > 0 ? (isFiltered ? `${count} found` : count) : '';
}

/** Height of a row in pixels, as in mail.css. */
const rowHeight = 56;

type RowsProps = {readonly place: ListPlace; readonly shown: ShownRows};

function MessageRows({place, shown}: RowsProps) {
	const {store} = useWeb();
	const now = useNow();
	const openId = useSelector(state => openMessageIn(state)?.messageId);
	const target = useSelector(state => shownList(state).target);
	const unseen = useSelector(({unseen}) => unseen);
	const inboxes = useSelector(({inboxes}) => inboxes.all);
	const names = useMemo(() => new Map(inboxes.map(({id, name}) => [id, name ?? undefined])), [inboxes]);
	const {total, top, rows, isComplete} = shown;
	const openIndex = openId === undefined ? -1 : rows.findIndex(({id}) => id === openId);
	const isPinned = (first: number) => {
		const state = store.get();
		return sticksToNewest({...shownList(state), view: {start: first, end: first}}, openMessageIn(state) !== undefined);
	};
	return (
		<VirtualList
			class="mail-rows"
			label="Messages"
			rowHeight={rowHeight}
			count={total + (isComplete ? 0 : 1)}
			active={openIndex < 0 || openId === undefined ? undefined : {index: top + openIndex, id: rowIdOf(openId)}}
			target={target}
			anchors={{rows, top, isPinned}}
			onView={view => store.update(state => updatedList(state, list => withView(list, view)))}
		>
			{index => {
				const row = rows[index - top];
				return row ? (
					<MailRow
						key={row.id}
						row={row}
						place={place}
						position={index + 1}
						total={isComplete ? total : -1}
						isOpen={row.id === openId}
						isNew={unseen.get(row.inbox_id)?.ids.has(row.id) ?? false}
						now={now}
						inboxName={place.inboxId === undefined ? names.get(row.inbox_id) : undefined}
					/>
				) : (
					<div key={`place ${index}`} class="mail-row reading" aria-hidden="true" />
				);
			}}
		</VirtualList>
	);
}

/** Interval in which relative times are updated. */
const clockMs = 20_000;

function useNow(): Date {
	const [now, setNow] = useState(() => new Date());
	useEffect(() => {
		const timer = setInterval(() => setNow(new Date()), clockMs);
		return () => clearInterval(timer);
	}, []);
	return now;
}

/** Title of the list, with actions on its inbox. */
export function InboxHead() {
	const inboxId = useSelector(({route}) => (route.screen === 'mail' ? route.inboxId : undefined));
	const inbox = useSelector(({inboxes}) => inboxes.all.find(({id}) => id === inboxId));
	const isAll = useSelector(({route}) => route.screen === 'mail' && route.inboxId === undefined);
	return (
		<header class="inbox-head">
			{inbox ? <InboxTitle key={inbox.id} inbox={inbox} /> : isAll ? <AllInboxesTitle /> : <h2>Messages</h2>}
		</header>
	);
}

function AllInboxesTitle() {
	return (
		<div class="title">
			<h2>All inboxes</h2>
			<PlaceLink class="button plain small" to={{screen: 'faults', inboxId: null}}>
				Faults<span class="visually-hidden"> for the daemon</span>
			</PlaceLink>
		</div>
	);
}

function InboxTitle({inbox}: {readonly inbox: InboxBody}) {
	const web = useWeb();
	const {id, name, email_address: address} = inbox;
	return (
		<>
			<div class="title">
				<h2>
					<bdi>{sanitizeLine(name ?? address)}</bdi>
				</h2>
				<CopyButton text={address} what="of the inbox">
					Copy address
				</CopyButton>
			</div>
			<div class="more">
				{name !== null && (
					<code>
						<bdi>{sanitizeLine(address)}</bdi>
					</code>
				)}
				<span class="actions">
					<button
						type="button"
						class="plain small"
						onClick={() => web.store.update({dialog: {type: 'smtp login', inboxId: id}})}
					>
						SMTP login
					</button>
					<PlaceLink class="button plain small" to={{screen: 'faults', inboxId: id}}>
						Faults
					</PlaceLink>
					<button
						type="button"
						class="plain small"
						onClick={() => void attempt(web, async () => emptyInbox(web, inbox))}
					>
						Delete all messages<span class="visually-hidden"> of the inbox</span>
					</button>
					<button type="button" class="plain small" onClick={() => removeInbox(web, inbox)}>
						Delete inbox
					</button>
				</span>
			</div>
		</>
	);
}

/** Content of an empty list: no match for the filter, or how to send mail to the inbox. */
function EmptyList({place}: {readonly place: ListPlace}) {
	const web = useWeb();
	const inbox = useSelector(({inboxes}) =>
		place.inboxId === undefined ? inboxes.all[0] : inboxes.all.find(({id}) => id === place.inboxId),
	);
	const {contains, header, has, link} = place.filter;
	const isSearch = [contains, header, has, link].some(asked => asked !== undefined);
	if (isFilter(place.filter)) {
		return (
			<div class="empty">
				<p>{isSearch ? 'No match in the newest 1,000 messages.' : 'No messages match the filter.'}</p>
				<p>
					<button type="button" onClick={() => filterList(web, {})}>
						Clear filter
					</button>
				</p>
			</div>
		);
	}

	return inbox ? <SendHint inbox={inbox} /> : <p class="empty">No messages yet.</p>;
}

function SendHint({inbox}: {readonly inbox: InboxBody}) {
	const {api} = useWeb();
	const [sending, setSending] = useState<Sending>();
	useEffect(() => {
		let isHere = true;
		const find = async () => {
			const found = await sendingTo(inbox, api);
			if (isHere) {
				setSending(found);
			}
		};
		void find().catch(() => {});
		return () => {
			isHere = false;
		};
	}, [inbox, api]);
	return (
		<div class="empty">
			<p>
				Waiting for mail to <bdi>{inbox.email_address}</bdi>. Send a test:
			</p>
			{sending &&
				linesOf(sending).map(([name, line]) => (
					<div class="line" key={name}>
						<h3>{name}</h3>
						{/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
						<pre tabIndex={0}>{line}</pre>
						<CopyButton text={line} what={`the ${name} example`} />
					</div>
				))}
		</div>
	);
}

/** SMTP address and login for sending mail to an inbox. */
type Sending = {
	readonly to: string;
	readonly host: string;
	readonly port: number;
	readonly login: {readonly user: string; readonly password: string} | undefined;
	readonly tls: boolean;
};

async function sendingTo(
	{id, email_address: address}: InboxBody,
	api: ReturnType<typeof useWeb>['api'],
): Promise<Sending> {
	const {domain, smtp, tls} = await api.daemon.get();
	const host = ['0.0.0.0', '::'].includes(smtp.host) ? location.hostname : smtp.host;
	const to = address === '*' ? `anyone@${domain}` : address.replace(/^\*@/, 'anyone@');
	return {to, host, port: smtp.port, login: await loginFor(id, smtp, api), tls: tls.mode === 'require'};
}

async function loginFor(inboxId: string, {auth_mode, auth}: DaemonBody['smtp'], api: ReturnType<typeof useWeb>['api']) {
	if (auth_mode === 'any') {
		return undefined;
	}

	const {username: user, password} = await api.inboxes.credentials(inboxId);
	return auth ?? {user, password};
}

function linesOf({to, host, port, login, tls}: Sending): ReadonlyArray<readonly [name: string, line: string]> {
	const server = `${host.includes(':') ? `[${host}]` : host}:${port}`;
	const options = {
		host,
		port,
		...(tls ? {requireTLS: true} : {ignoreTLS: true}),
		...(login && {auth: {user: login.user, pass: login.password}}),
	};
	const mail = {from: 'app@example.com', to, subject: 'Hello', text: 'Hello'};
	const swaksLogin = login
		? ` --auth-user ${shellQuote(login.user)} --auth-password ${shellQuote(login.password)}`
		: '';
	const curlLogin = login ? ` --user ${shellQuote(`${login.user}:${login.password}`)}` : '';
	return [
		['tinbox', `tinbox send ${shellQuote(to)}`],
		['swaks', `swaks --server ${server} --to ${shellQuote(to)}${tls ? ' --tls' : ''}${swaksLogin}`],
		[
			'curl',
			`printf 'Subject: Hello\\r\\n\\r\\nHello\\r\\n' | curl smtp://${server}${tls ? ' --ssl-reqd' : ''} --mail-from app@example.com --mail-rcpt ${shellQuote(to)}${curlLogin} -T -`,
		],
		['nodemailer', `createTransport(${JSON.stringify(options)}).sendMail(${JSON.stringify(mail)})`],
	];
}
