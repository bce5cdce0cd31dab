import {createTransport} from 'nodemailer';
import {expect, test} from 'vitest';
import type {RefusalListBody} from '../../../src/contract/daemon.js';
import type {MissesBody} from '../../../src/contract/messages.js';
import type {User} from '../../../src/domain/accounts/user.js';
import {operatorToken} from '../../helpers/resources.js';
import {openTinbox, type Person, type Tinbox} from '../../helpers/tinbox.js';

const settings = {maxMessageSize: 1000};

async function claim(tinbox: Tinbox, user: User, address: string, teamId: string | null = null) {
	const options = {name: null, teamId, address, ttlSeconds: null};
	return (await tinbox.services.inboxes.create(user, options)).inbox;
}

/** Sends a mail that must be rejected. */
async function sendRejected(tinbox: Tinbox, to: string, text = 'Hello'): Promise<void> {
	const transport = createTransport({...tinbox.smtp, ignoreTLS: true});
	await expect(transport.sendMail({from: 'app@example.test', to, subject: 'x', text})).rejects.toThrow();
	transport.close();
}

const large = 'Too much. '.repeat(200);

async function refusalsOf(tinbox: Tinbox, {key}: Person, inboxId: string, query = '') {
	const response = await tinbox.request('GET', `/inboxes/${inboxId}/misses${query}`, {key});
	expect(response.status).toBe(200);
	return ((await response.json()) as MissesBody).refusals.map(({stage, address}) => `${stage} ${address}`);
}

test('only the operator and the local user can list refusals', async () => {
	const tinbox = await openTinbox({settings});
	const [local, other] = [await tinbox.user('me', 'localhost'), await tinbox.user('other')];
	await sendRejected(tinbox, 'nobody@tinbox.test');
	await sendRejected(tinbox, 'none@tinbox.test');
	const list = async (headers: Record<string, string>, query = '') => {
		const response = await fetch(`${tinbox.url}/refusals${query}`, {headers});
		return {status: response.status, body: (await response.json()) as RefusalListBody};
	};
	const {token} = await tinbox.services.credentials.issueToken(local.user.id, 60);
	for (const headers of [
		{'X-API-Key': local.key},
		{Authorization: `Bearer ${token}`},
		{Authorization: `Bearer ${operatorToken}`},
	]) {
		expect(await list(headers)).toMatchObject({
			status: 200,
			body: {
				refusals: [
					{address: 'none@tinbox.test'},
					{
						time: expect.stringMatching(/^\d{4}-.*Z$/),
						client: {host: '127.0.0.1', helo: expect.any(String)},
						stage: 'rcpt',
						address: 'nobody@tinbox.test',
						reply: '550 5.1.1 <nobody@tinbox.test>: no such inbox',
						reason: 'no such inbox',
					},
				],
			},
		});
	}

	expect((await list({'X-API-Key': local.key}, '?limit=1')).body.refusals).toHaveLength(1);
	expect(await list({'X-API-Key': local.key}, '?limit=x')).toMatchObject({status: 400});
	expect(await list({'X-API-Key': other.key})).toMatchObject({status: 403, body: {code: 'forbidden'}});
	expect(await list({'X-API-Key': 'tbx_live_x'})).toMatchObject({status: 401});
	expect(await list({Authorization: 'Bearer x'})).toMatchObject({status: 401});
	expect(await list({})).toMatchObject({status: 401});
});

test('the misses of an inbox contain only refusals for inboxes of its owner', async () => {
	const tinbox = await openTinbox({settings});
	const [local, ann, bob] = [await tinbox.user('me', 'localhost'), await tinbox.user('ann'), await tinbox.user('bob')];
	const inboxes = {
		local: await claim(tinbox, local.user, 'me@tinbox.test'),
		ann: await claim(tinbox, ann.user, 'ann@tinbox.test'),
		annsDomain: await claim(tinbox, ann.user, '*@ann.test'),
		bob: await claim(tinbox, bob.user, 'bob@tinbox.test'),
		bobInAnns: await claim(tinbox, bob.user, 'bob@ann.test'),
	};
	for (const to of ['ann+tag@tinbox.test', 'x@ann.test', 'bob@tinbox.test', 'bob@ann.test']) {
		await sendRejected(tinbox, to, large);
	}

	await sendRejected(tinbox, 'typo@tinbox.test');
	const anns = ['data x@ann.test', 'data ann+tag@tinbox.test'];
	const bobs = ['data bob@ann.test', 'data bob@tinbox.test'];
	expect(await refusalsOf(tinbox, ann, inboxes.ann.id)).toEqual(anns);
	expect(await refusalsOf(tinbox, ann, inboxes.annsDomain.id)).toEqual(anns);
	expect(await refusalsOf(tinbox, bob, inboxes.bob.id)).toEqual(bobs);
	expect(await refusalsOf(tinbox, local, inboxes.local.id)).toEqual(['rcpt typo@tinbox.test', ...bobs, ...anns]);
	expect((await tinbox.request('GET', `/inboxes/${inboxes.ann.id}/misses`, {key: bob.key})).status).toBe(404);

	const later = new Date(Date.now() + 60_000).toISOString();
	expect(await refusalsOf(tinbox, local, inboxes.local.id, `?since=${later}`)).toEqual([]);
	expect(await refusalsOf(tinbox, local, inboxes.local.id, '?since=2026-01-01T00:00:00%2B02:00')).toHaveLength(5);
});

test.each(['shared@own.test', '*@own.test'])(
	'%s has no refusals from the time before it received the mail of a deleted inbox',
	async address => {
		const tinbox = await openTinbox({settings});
		const [ann, bob] = [await tinbox.user('ann'), await tinbox.user('bob')];
		const old = await claim(tinbox, ann.user, 'shared@own.test');
		const there = address === 'shared@own.test' ? undefined : await claim(tinbox, bob.user, '*@own.test');
		await sendRejected(tinbox, 'shared@own.test', large);
		expect(await refusalsOf(tinbox, ann, old.id)).toHaveLength(1);
		await tinbox.services.inboxes.delete(ann.user, old.id);
		const {id} = there ?? (await claim(tinbox, bob.user, address));
		expect(await refusalsOf(tinbox, bob, id)).toEqual([]);
		await sendRejected(tinbox, 'shared@own.test', large);
		expect(await refusalsOf(tinbox, bob, id)).toEqual(['data shared@own.test']);
	},
);
