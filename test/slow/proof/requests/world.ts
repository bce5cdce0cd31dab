import {Client} from '../client.js';
import {sendOne} from '../send-mails.js';
import type {TestDaemon} from '../start.js';

/** A user with one resource of each kind, and their ids by the names in paths. */
export type World = {readonly client: Client; readonly operator: Client; readonly ids: ReadonlyMap<string, string>};

const mail = Buffer.from(
	'From: a@sender.test\r\nSubject: Your code\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n' +
		'--b\r\nContent-Type: text/html\r\n\r\n<p>Code 123456 <a href="https://a.test/x">here</a>\r\n' +
		'--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nhi\r\n--b--\r\n',
);

export async function openWorld(daemon: TestDaemon): Promise<World> {
	const operator = new Client(daemon.url, {authorization: `Bearer ${daemon.operatorToken}`});
	const client = await Client.of(daemon);
	const user = await client.json('GET', '/users/me');
	const {keys} = await client.json('GET', '/inboxes/keys');
	const inbox = await client.createInbox();
	await sendOne(daemon.smtp, inbox.address, mail);
	const [message] = await client.messages(inbox);
	const {url} = await client.json('POST', `/inboxes/${inbox.id}/messages/${message?.id}/preview`, {});
	const team = await client.json('POST', '/teams', {name: 'Red'});
	const endpoint = await client.json('POST', '/webhooks', {url: 'http://127.0.0.1:9/'});
	const fault = await client.json('POST', `/inboxes/${inbox.id}/faults`, {stage: 'rcpt', reply: '451 Later', times: 1});
	const template = await client.json('PUT', '/templates/resend/welcome', {html: 'Hi'});
	const {delivery} = await client.json('POST', `/webhooks/${endpoint.id}/test`, {});
	const ids = {
		user: user.id,
		key: keys[0].id,
		inbox: inbox.id,
		message: message?.id ?? '',
		attachment: '1',
		token: new URL(url).pathname.split('/').at(-1) ?? '',
		team: team.id,
		endpoint: endpoint.id,
		delivery: delivery.id,
		fault: fault.id,
		provider: template.provider,
		template: template.id,
	};
	return {client, operator, ids: new Map(Object.entries(ids))};
}
