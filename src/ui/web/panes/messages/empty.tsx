import {useEffect, useState} from 'preact/hooks';
import type {DaemonBody} from '../../../../contract/daemon.js';
import type {InboxBody} from '../../../../contract/inboxes.js';
import {shellQuote} from '../../../../lib/text/sanitize.js';
import {filterList} from '../../actions/messages.js';
import {useSelector, useWeb} from '../../context.js';
import {isFilter, type ListPlace} from '../../state/message-list.js';
import {CopyButton} from '../copy-button.js';

/** The text of an empty list: no match for the filter, or how to send mail to the inbox. */
export function EmptyList({place}: {readonly place: ListPlace}) {
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

	return inbox ? <SendSome inbox={inbox} /> : <p class="empty">No messages yet.</p>;
}

function SendSome({inbox}: {readonly inbox: InboxBody}) {
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

/** Where mail to an inbox is taken, and with which login. */
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
