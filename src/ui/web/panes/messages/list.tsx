import {useEffect, useMemo, useState} from 'preact/hooks';
import type {InboxBody} from '../../../../contract/inboxes.js';
import type {MessageFilter, MessageSummaryBody} from '../../../../contract/messages.js';
import {sanitizeLine, shellQuote} from '../../../../lib/text/sanitize.js';
import {ago, formatSize} from '../../../../lib/text/units.js';
import {markMatches, type TextRun} from '../../../core/filter.js';
import {clockTime} from '../../../core/format.js';
import {
	filterList,
	hasConditions,
	keyOfQuery,
	type ListQuery,
	listQuery,
	openMessage,
	openMessageIn,
	type ShownRows,
	scrollToEnd,
	shownList,
	shownRows,
	sticksToNewest,
	toggleAutoOpen,
	updatedList,
	withView,
} from '../../actions/message-list.js';
import {attempt} from '../../actions/notices.js';
import {emptyInbox, removeInbox} from '../../actions/removals.js';
import type {WebApi} from '../../api.js';
import {useSelector, useWeb} from '../../context.js';
import {CopyButton, MarkedRuns, RouteLink} from '../panes.js';
import {VirtualList} from '../virtual-list.js';
import {FilterForm} from './filter.js';

/** List of messages with its filter. */
export function MessageList() {
	const web = useWeb();
	// Renders again if one of these changes; `shownRows` reads several parts.
	useSelector(({list}) => list);
	useSelector(({inboxes}) => inboxes);
	useSelector(({removals}) => removals);
	useSelector(({route}) => route);
	const state = web.store.get();
	const query = listQuery(state);
	if (query === undefined) {
		return null;
	}

	const shown = shownRows(state);
	const isEmpty = shown.isRead && shown.total === 0 && shown.isComplete;
	const {above, autoOpen, problem} = shownList(state);
	const isFiltered = hasConditions(query.filter);
	const count = countLabel(shown, isFiltered);
	return (
		<section class="mails" aria-busy={!shown.isRead}>
			<FilterForm key={query.inboxId ?? ''} filter={query.filter} problem={problem}>
				<button
					type="button"
					class="plain"
					aria-pressed={autoOpen}
					title="Open each new message as it arrives (f)"
					onClick={() => toggleAutoOpen(web)}
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
					<EmptyList query={query} />
				) : (
					<MessageRows key={keyOfQuery(query)} query={query} shown={shown} />
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

function countLabel({total, isComplete, isRead}: ReturnType<typeof shownRows>, isFiltered: boolean): string {
	const count = `${total.toLocaleString('en')}${isComplete ? '' : '+'} ${total === 1 && isComplete ? 'message' : 'messages'}`;
	return isRead && total > 0 ? (isFiltered ? `${count} found` : count) : '';
}

/** Height of a row in pixels, as in mail.css. */
const rowHeight = 56;

type RowsProps = {readonly query: ListQuery; readonly shown: ShownRows};

function MessageRows({query, shown}: RowsProps) {
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
						query={query}
						position={index + 1}
						total={isComplete ? total : -1}
						isOpen={row.id === openId}
						isNew={unseen.get(row.inbox_id)?.ids.has(row.id) ?? false}
						now={now}
						inboxName={query.inboxId === undefined ? names.get(row.inbox_id) : undefined}
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
		<div class="title row">
			<h2 class="cut">All inboxes</h2>
			<RouteLink class="button plain small" to={{screen: 'faults', inboxId: null}}>
				Faults<span class="visually-hidden"> for the daemon</span>
			</RouteLink>
		</div>
	);
}

function InboxTitle({inbox}: {readonly inbox: InboxBody}) {
	const web = useWeb();
	const {id, name, email_address: address} = inbox;
	return (
		<>
			<div class="title row">
				<h2 class="cut">
					<bdi>{sanitizeLine(name ?? address)}</bdi>
				</h2>
				<CopyButton text={address} what="of the inbox">
					Copy address
				</CopyButton>
			</div>
			<div class="more row wrap">
				{name !== null && (
					<code class="cut">
						<bdi>{sanitizeLine(address)}</bdi>
					</code>
				)}
				<span class="actions row wrap">
					<button
						type="button"
						class="plain small"
						onClick={() => web.store.update({dialog: {type: 'smtp login', inboxId: id}})}
					>
						SMTP login
					</button>
					<RouteLink class="button plain small" to={{screen: 'faults', inboxId: id}}>
						Faults
					</RouteLink>
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
function EmptyList({query}: {readonly query: ListQuery}) {
	const web = useWeb();
	const inbox = useSelector(({inboxes}) =>
		query.inboxId === undefined ? inboxes.all[0] : inboxes.all.find(({id}) => id === query.inboxId),
	);
	const {contains, header, has, link} = query.filter;
	const isSearch = [contains, header, has, link].some(asked => asked !== undefined);
	if (hasConditions(query.filter)) {
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

	return inbox ? <SendHint key={inbox.id} inbox={inbox} /> : <p class="empty">No messages yet.</p>;
}

function SendHint({inbox}: {readonly inbox: InboxBody}) {
	const {api} = useWeb();
	const [sending, setSending] = useState<Sending>();
	useEffect(() => {
		sendingTo(inbox, api).then(setSending, () => {});
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

async function sendingTo({id, email_address: address}: InboxBody, api: WebApi): Promise<Sending> {
	const {domain, smtp, tls} = await api.daemon.get();
	const host = ['0.0.0.0', '::'].includes(smtp.host) ? location.hostname : smtp.host;
	const to = address === '*' ? `anyone@${domain}` : address.replace(/^\*@/, 'anyone@');
	const own = smtp.auth_mode === 'any' ? undefined : await api.inboxes.credentials(id);
	const login = own && (smtp.auth ?? {user: own.username, password: own.password});
	return {to, host, port: smtp.port, login, tls: tls.mode === 'require'};
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

/** Maximum number of characters of a text in a row. */
const maxShown = 300;

/** Age up to which times are relative. */
const wordsMs = 60 * 60_000;

type RowProps = {
	readonly row: MessageSummaryBody;
	readonly query: ListQuery;
	/** Position, counted from 1. */
	readonly position: number;
	readonly total: number;
	readonly isOpen: boolean;
	readonly isNew: boolean;
	readonly now: Date;
	/** Name of the inbox in a list of all inboxes. */
	readonly inboxName: string | undefined;
};

/** Element id of a row. */
function rowIdOf(messageId: string): string {
	return `mail-${messageId}`;
}

function MailRow({row, query, position, total, isOpen, isNew, now, inboxName}: RowProps) {
	const web = useWeb();
	const {id, inbox_id: inboxId, size, received_at: at, subject} = row;
	const {filter} = query;
	return (
		<RouteLink
			id={rowIdOf(id)}
			class={`mail-row${isNew ? ' new' : ''}`}
			role="option"
			aria-selected={isOpen}
			aria-posinset={position}
			aria-setsize={total}
			tabIndex={-1}
			to={{screen: 'mail', inboxId: query.inboxId, filter, open: {inboxId, messageId: id}}}
			onOpen={() => openMessage(web, row)}
		>
			<span class="dot" aria-hidden={!isNew}>
				{isNew && <span class="visually-hidden">new: </span>}
			</span>
			<bdi class="who cut" title={row.from}>
				{senderOf(row, filter)}
			</bdi>
			<time dateTime={at} title={new Date(at).toLocaleString()}>
				{timeOf(at, now)}
			</time>
			<bdi class="subject cut">
				{subject === '' ? (
					'(no subject)'
				) : (
					<Marked
						text={subject}
						wanted={[filter.q, isWhole(filter.subject, filter) ? undefined : filter.subject]}
						whole={isWhole(filter.subject, filter)}
					/>
				)}
			</bdi>
			<span class="size cut">
				{query.inboxId === undefined || filter.to !== undefined ? (
					<Recipient row={row} filter={filter} inboxName={inboxName} />
				) : (
					formatSize(size)
				)}
			</span>
		</RouteLink>
	);
}

/** Name of the sender, or the address if there is no name or only the address matches the filter. */
function senderOf({from, from_name: name}: MessageSummaryBody, filter: MessageFilter) {
	const wanted = filter.from;
	const isMatch = (text: string) => wanted !== undefined && markMatches(text, wanted).some(({marked}) => marked);
	const shown = name && (wanted === undefined || isMatch(name) || !isMatch(from)) ? name : from || '(no sender)';
	const whole = isWhole(wanted, filter);
	return <Marked text={shown} wanted={[whole ? undefined : wanted]} whole={whole} />;
}

type RecipientProps = Pick<RowProps, 'row' | 'inboxName'> & {readonly filter: MessageFilter};

/** Name of the inbox, or the address if there is no name or the filter has a recipient. */
function Recipient({row: {to}, inboxName, filter}: RecipientProps) {
	const whole = isWhole(filter.to, filter);
	const shown = filter.to === undefined ? (inboxName ?? to) : to;
	return (
		<bdi>
			→ <Marked text={shown} wanted={[whole ? undefined : filter.to]} whole={whole} />
		</bdi>
	);
}

/** True if the filter matches whole values, or by a pattern that only the daemon evaluates. */
function isWhole(wanted: string | undefined, {match}: MessageFilter): boolean {
	return wanted !== undefined && (match === 'exact' || (match === 'pattern' && /^\/.+\/[a-z]*$/s.test(wanted)));
}

type MarkedProps = {
	readonly text: string;
	/** Texts whose occurrences are marked. */
	readonly wanted: ReadonlyArray<string | undefined>;
	readonly whole: boolean;
};

/** Text from outside as one line, with marked matches. */
function Marked({text, wanted, whole}: MarkedProps) {
	const shown = sanitizeLine(text.slice(0, maxShown));
	const runs = wanted
		.filter(text => text !== undefined)
		.reduce<readonly TextRun[]>(
			(all, wanted) => all.flatMap(run => (run.marked ? [run] : markMatches(run.text, wanted))),
			[{text: shown, marked: whole}],
		);
	return <MarkedRuns runs={runs} />;
}

function timeOf(iso: string, now: Date): string {
	return now.getTime() - Date.parse(iso) < wordsMs ? ago(iso, now) : clockTime(iso, now);
}
