import {expect, test} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {mail, openTinbox} from '../../helpers/tinbox.js';

const defaults = {name: null, teamId: null, address: null, ttlSeconds: null};

test('a list of summaries has the fields of whole messages and parses no mail', async () => {
	let read = 0;
	const tinbox = await openTinbox({
		wrapParser: parser => ({
			...parser,
			read: (owner, source) => {
				read++;
				return parser.read(owner, source);
			},
		}),
	});
	const {user, key} = await tinbox.user('ann');
	const {messages} = apiClient({url: tinbox.url, apiKey: key});
	const inboxes = [];
	for (const subject of ['First', 'Second']) {
		const {inbox} = await tinbox.services.inboxes.create(user, defaults);
		await tinbox.deliver(inbox.address, mail(subject));
		inboxes.push(inbox);
	}

	const [first, second] = inboxes.map(({id}) => id);
	const all = await messages.summariesOfAll();
	expect(all.map(({subject, inbox_id: id}) => [subject, id])).toEqual([
		['Second', second],
		['First', first],
	]);
	expect(await messages.summaries(first ?? '')).toEqual([all[1]]);
	expect(read).toBe(0);
	const [whole] = await messages.list(first ?? '');
	expect(whole).toMatchObject(all[1] ?? {});
	expect(read).toBe(1);
	const response = await tinbox.request('GET', '/messages', {key});
	expect(await response.json()).toMatchObject([{subject: 'Second', codes: []}, whole]);
});

test('a wait for summaries returns the first matching message', async () => {
	const tinbox = await openTinbox();
	const {user, key} = await tinbox.user('ann');
	const {messages} = apiClient({url: tinbox.url, apiKey: key});
	const {inbox} = await tinbox.services.inboxes.create(user, defaults);
	const waiting = messages.summaries(inbox.id, {subject: 'Second', wait: 20});
	await tinbox.deliver(inbox.address, mail('First'));
	await tinbox.deliver(inbox.address, mail('Second'));
	expect(await waiting).toMatchObject([{subject: 'Second'}]);
});

test.each([
	['/messages?page=2', 'page'],
	['/messages?wait=2', 'wait'],
	['/messages?fields=all', 'fields'],
	['/messages?before=latest', 'before'],
	['/messages?match=pattern&subject=/(/', 'subject'],
])('%s is rejected with the name of the invalid parameter', async (target, field) => {
	const tinbox = await openTinbox();
	const {key} = await tinbox.user('ann');
	const response = await tinbox.request('GET', target, {key});
	expect(await response.json()).toMatchObject({status: 400, errors: [{field}]});
});
