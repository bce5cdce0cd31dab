import {afterAll, beforeAll, expect, test} from 'vitest';
import type {CreatedInboxBody, CredentialsBody} from '../../../src/contract/inboxes.js';
import {openTinbox, type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
let bob: Person;
let cat: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	[ann, bob, cat] = [await tinbox.user('ann'), await tinbox.user('bob'), await tinbox.user('cat')];
});
afterAll(async () => tinbox.close());

async function create(person: Person, body: object = {}): Promise<CreatedInboxBody> {
	const response = await tinbox.request('POST', '/inboxes', {key: person.key, body});
	expect(response.status).toBe(201);
	return (await response.json()) as CreatedInboxBody;
}

async function read(person: Person, id: string): Promise<CredentialsBody> {
	const response = await tinbox.request('GET', `/inboxes/${id}/credentials`, {key: person.key});
	expect(response.status).toBe(200);
	return (await response.json()) as CredentialsBody;
}

async function rotate(person: Person, id: string): Promise<CredentialsBody> {
	const response = await tinbox.request('POST', `/inboxes/${id}/credentials/rotate`, {key: person.key});
	expect(response.status).toBe(200);
	return (await response.json()) as CredentialsBody;
}

/** Creates a team of the owner with the others as members. */
async function teamOf(owner: Person, ...others: readonly Person[]): Promise<string> {
	const {teams} = tinbox.services;
	const {team} = await teams.create(owner.user, 'Red');
	for (const {user} of others) {
		const {token} = await teams.invite(owner.user, team.id, {email: user.email, role: 'member'});
		await teams.accept(user, token);
	}

	return team.id;
}

test('a new inbox has SMTP credentials that need no escaping in URLs and shells', async () => {
	const {id, smtp} = await create(ann);
	const {host, port} = tinbox.smtp;
	expect(smtp).toMatchObject({host, port, username: id, password: expect.stringMatching(/^tbx_smtp_[\w-]{32}$/)});
	expect(smtp?.url).toBe(`smtp://${id}:${smtp?.password}@${host}:${port}`);
	expect(await read(ann, id)).toEqual(smtp);
});

test('SMTP passwords are absent from lists and single reads', async () => {
	const {id, smtp} = await create(ann);
	for (const path of ['/inboxes', `/inboxes/${id}`]) {
		const text = await (await tinbox.request('GET', path, {key: ann.key})).text();
		expect(text).toContain(id);
		expect(text).not.toContain(smtp?.password);
		expect(text).not.toContain('tbx_smtp_');
	}
});

test('SMTP credentials are available only to users who can see the inbox', async () => {
	const {id, email_address} = await create(ann);
	for (const [method, path] of [
		['GET', `/inboxes/${id}/credentials`],
		['POST', `/inboxes/${id}/credentials/rotate`],
	] as const) {
		expect((await tinbox.request(method, path, {key: bob.key})).status).toBe(404);
		expect((await tinbox.request(method, path)).status).toBe(401);
	}

	expect(await read(ann, encodeURIComponent(email_address))).toMatchObject({username: id});
	expect((await tinbox.request('GET', '/inboxes/nothing/credentials', {key: ann.key})).status).toBe(404);
});

test('two inboxes have different SMTP passwords', async () => {
	const [one, two] = [await create(ann), await create(ann)];
	expect(one.smtp?.password).not.toBe(two.smtp?.password);
});

test('each rotation creates a new SMTP password', async () => {
	const {id, smtp} = await create(ann);
	const passwords = [smtp?.password, (await rotate(ann, id)).password, (await rotate(ann, id)).password];
	expect(new Set(passwords).size).toBe(3);
	expect((await read(ann, id)).password).toBe(passwords[2]);
});

test('SMTP credentials survive a restart', async () => {
	const before = await openTinbox();
	const dan = await before.user('dan');
	const {inbox} = await before.services.inboxes.create(dan.user, {
		name: null,
		teamId: null,
		address: null,
		ttlSeconds: null,
	});
	const credentials = await before.services.logins.rotate(dan.user, inbox.id);
	const after = await before.restart();
	expect(await after.services.logins.credentials(dan.user, inbox.id)).toEqual(credentials);
	await after.close();
});

test('SMTP passwords of a team change when a member leaves, but not when one joins', async () => {
	const {teams, users} = tinbox.services;
	const teamId = await teamOf(ann, bob);
	const {id, smtp} = await create(ann, {team_id: teamId});
	const other = await create(bob, {team_id: teamId});
	expect(await read(bob, id)).toEqual(smtp);
	const {token} = await teams.invite(ann.user, teamId, {email: cat.user.email, role: 'member'});
	await teams.accept(cat.user, token);
	expect(await read(cat, id)).toEqual(smtp);

	await teams.removeMember(ann.user, teamId, bob.user.id);
	const second = await read(ann, id);
	expect(second.password).not.toBe(smtp?.password);
	expect((await read(cat, other.id)).password).not.toBe(other.smtp?.password);
	const dan = await tinbox.user('dan');
	const invite = await teams.invite(ann.user, teamId, {email: dan.user.email, role: 'member'});
	await teams.accept(dan.user, invite.token);
	await users.delete(dan.user.id);
	expect((await read(ann, id)).password).not.toBe(second.password);
});

test('the SMTP password changes when an inbox leaves its team or the team is deleted', async () => {
	const [one, two] = [await teamOf(ann, bob), await teamOf(ann, cat)];
	const {id, smtp} = await create(ann, {team_id: one});
	const move = async (team_id: string | null) => {
		const response = await tinbox.request('PATCH', `/inboxes/${id}`, {key: ann.key, body: {team_id}});
		expect(response.status).toBe(200);
		return (await read(ann, id)).password;
	};
	const passwords = [smtp?.password, await move(two), await move(null)];
	expect(new Set(passwords).size).toBe(3);
	const again = await move(two);
	await tinbox.services.teams.delete(ann.user, two);
	expect((await read(ann, id)).password).not.toBe(again);
});

test('the routing of authenticated mail can be read and changed', async () => {
	const {id, routing} = await create(ann);
	expect(routing).toBe('login');
	const patch = async (body: object) => tinbox.request('PATCH', `/inboxes/${id}`, {key: ann.key, body});
	expect(await (await patch({routing: 'recipients'})).json()).toMatchObject({routing: 'recipients'});
	expect(await (await patch({name: 'x'})).json()).toMatchObject({routing: 'recipients', name: 'x'});
	expect((await patch({routing: 'elsewhere'})).status).toBe(400);
	expect((await create(ann, {routing: 'recipients'})).routing).toBe('recipients');
});
