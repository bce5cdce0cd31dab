import type {Page} from 'playwright-core';
import {tabs} from '../../../src/ui/core/keys.js';
import {startReceiver} from '../../helpers/webhook-receiver.js';
import type {Person, WebWorld} from './web-world.js';

/** A screen of the web app: its path, and text that appears when it is loaded. */
export type Screen = {
	readonly name: string;
	readonly path: string;
	readonly shown: RegExp;
	/** Action after the screen is loaded. */
	readonly act?: (page: Page) => Promise<unknown>;
	/** The content depends on the width of the window at load time (`isWide`). */
	readonly dependsOnWidth?: true;
};

/** Creates one object of each kind for a person and returns all screens. */
export async function screensOf(web: WebWorld, {api}: Person): Promise<readonly Screen[]> {
	const inbox = await api.inboxes.create({name: 'sign-up', email_address: 'sign-up@tinbox.test'});
	const other = await api.inboxes.create({});
	const empty = await api.inboxes.create({name: 'a name that goes on for longer than there is room for it in a list'});
	const receiver = await startReceiver(503, 200);
	const endpoint = await api.webhooks.create({url: new URL('/hooks/mail', receiver.url).href});
	const {delivery} = await api.webhooks.test(endpoint.id);
	const fault = await api.faults.create(inbox.id, {stage: 'rcpt', name: 'later', reply: '451 Later', times: 1});
	await web.send(inbox.email_address).catch(() => undefined);
	await web.send(inbox.email_address, {subject: 'Older', text: 'Nothing in it.'});
	await web.send(inbox.email_address, {
		subject: 'Your code is 481216',
		text: 'Your code is 481216. https://acme.example/confirm?token=1234567890',
		html: '<h1>Hello</h1><p>Your code is <b>481216</b>. <a href="https://acme.example/confirm?token=1">Confirm</a></p><img src="https://acme.example/pixel.png">',
		attachments: [
			{filename: 'terms.txt', content: 'Terms'},
			{
				filename: 'logo.svg',
				content:
					'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="red"/></svg>',
			},
		],
	});
	// One message per visit of the screen "undo", which deletes one.
	await web.send(other.email_address, {subject: 'Doomed'});
	await web.send(other.email_address, {subject: 'Doomed'});
	const {id} = await api.messages.get(inbox.id, 'latest');
	const {hits} = await api.faults.hits(inbox.id, {fault: fault.id});
	const at = `/app/inboxes/${inbox.id}`;
	const mail = `${at}/messages/${id}`;
	const press = (keys: string) => async (page: Page) => page.keyboard.press(keys);
	return [
		{name: 'inboxes', path: '/app/', shown: /sign-up/, dependsOnWidth: true},
		{name: 'all mail', path: '/app/mail', shown: /Older/},
		{name: 'empty inbox', path: `/app/inboxes/${empty.id}`, shown: /Waiting for mail|swaks|SMTP/},
		{name: 'list', path: at, shown: /Older/},
		{
			name: 'filter',
			path: `${at}?q=Older&from=hello`,
			shown: /1 message found/,
		},
		...[...tabs, 'session', 'webhooks'].map(tab => ({
			name: `message ${tab}`,
			path: `${mail}?tab=${tab}`,
			shown: /481216/,
		})),
		{name: 'webhooks', path: '/app/webhooks', shown: /hooks\/mail/},
		{name: 'delivery', path: `/app/webhooks/${endpoint.id}/${delivery.id}`, shown: /Payload/},
		{name: 'faults', path: `${at}/faults`, shown: /later/},
		{name: 'hit', path: `${at}/faults/${fault.id}/${hits[0]?.id}`, shown: /Client/},
		{name: 'help', path: at, shown: /Older/, act: press('?')},
		{name: 'new inbox', path: at, shown: /Older/, act: press('n')},
		{name: 'copy menu', path: mail, shown: /481216/, act: press('y')},
		{
			name: 'smtp login',
			path: at,
			shown: /Older/,
			act: async page => page.getByRole('button', {name: 'SMTP login'}).click(),
		},
		{
			name: 'new endpoint',
			path: '/app/webhooks',
			shown: /hooks\/mail/,
			act: async page => page.getByRole('button', {name: 'New endpoint'}).click(),
		},
		{
			name: 'question',
			path: `/app/webhooks/${endpoint.id}`,
			shown: /hooks\/mail/,
			act: async page => page.getByRole('button', {name: 'Delete endpoint'}).click(),
		},
		{
			name: 'undo',
			path: `/app/inboxes/${other.id}`,
			shown: /Doomed/,
			act: async page => {
				await page.keyboard.press('j');
				await page.getByRole('heading', {name: 'Doomed'}).waitFor();
				await page.keyboard.press('d');
				await page.getByRole('button', {name: 'Undo'}).waitFor();
			},
			dependsOnWidth: true,
		},
		{name: 'wrong filter', path: `${at}?has=nothing`, shown: /must be/},
		{name: 'nowhere', path: '/app/inboxes/nope', shown: /No inbox named/},
		{name: 'gone message', path: `${at}/messages/gone`, shown: /no longer exists/},
	];
}
