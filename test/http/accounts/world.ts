import {Readable} from 'node:stream';
import {expect} from 'vitest';
import type {Plan} from '../../../src/domain/plan.js';
import type {User} from '../../../src/domain/user.js';
import {Accounts} from '../../helpers/accounts.js';
import {type Api, openApi} from '../../helpers/api.js';

const people = ['owner', 'admin', 'member', 'guest'] as const;

type Person = (typeof people)[number];

/** Who calls, and with what. */
export type Caller = 'nobody' | 'operator' | `${Person}'s token` | `${Person}'s key`;

/** A method and a path below `/v1`; `{name}` stands for the id (or token) that the world has under that name. */
export type Request = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

export type Headers = Readonly<Record<string, string>>;

/** The team "Red" of an owner, an admin and a member, a guest who is in no team, and an API in front of it all. */
export class World {
	readonly accounts: Accounts;
	readonly #api: Api;
	readonly #users: Readonly<Record<Person, User>>;
	readonly #ids = new Map<string, string>();
	readonly #keys = new Map<string, string>();
	readonly #tokens = new Map<string, string>();

	private constructor(accounts: Accounts, api: Api, users: Readonly<Record<Person, User>>) {
		this.accounts = accounts;
		this.#api = api;
		this.#users = users;
		for (const who of people) {
			this.#ids.set(who, users[who].id);
		}
	}

	static async open(): Promise<World> {
		const accounts = await Accounts.open();
		const api = await openApi(accounts);
		const world = new World(accounts, api, {
			owner: await accounts.user('owner'),
			admin: await accounts.user('admin'),
			member: await accounts.user('member'),
			guest: await accounts.user('guest'),
		});
		await world.#issueTokens();
		await world.#foundTeam();
		return world;
	}

	async close(): Promise<void> {
		await this.#api.close();
		await this.accounts.close();
	}

	async send(request: Request, as: Caller | Headers, body?: object): Promise<Response> {
		const [method = '', path = ''] = request.split(' ');
		return fetch(this.#api.url + this.fill(path), {
			method,
			headers: {
				...(typeof as === 'string' ? await this.headersOf(as) : as),
				...(body && {'Content-Type': 'application/json'}),
			},
			...(body && {body: this.fill(JSON.stringify(body))}),
		});
	}

	async status(request: Request, as: Caller | Headers, body?: object): Promise<number> {
		const response = await this.send(request, as, body);
		await response.arrayBuffer();
		return response.status;
	}

	async answer(request: Request, as: Caller | Headers, body?: object): Promise<unknown> {
		return (await this.send(request, as, body)).json();
	}

	/** The headers with which the caller shows who it is. */
	async headersOf(as: Caller): Promise<Headers> {
		if (as === 'nobody') {
			return {};
		}

		if (as === 'operator') {
			return {Authorization: `Bearer ${this.accounts.operatorToken}`};
		}

		const [who, kind] = as.split("'s ") as [Person, 'key' | 'token'];
		return kind === 'key' ? {'X-API-Key': await this.#keyOf(who)} : {Authorization: `Bearer ${this.#tokens.get(who)}`};
	}

	/** Puts ids in the places of their names. */
	fill(text: string): string {
		return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => this.#id(name));
	}

	passTime(ms: number): void {
		this.accounts.passTime(ms);
	}

	async setPlan(who: Person, plan: Plan): Promise<void> {
		await this.accounts.services.users.update(this.#users[who].id, {plan});
	}

	async addTeams(who: Person, count: number): Promise<void> {
		await repeat(count, async () => this.accounts.services.teams.create(this.#users[who], 'Another'));
	}

	/** In slow succession, so that no limit per minute is met. */
	async addKeys(who: Person, count: number): Promise<void> {
		await repeat(count, async () => {
			this.passTime(6000);
			return this.accounts.services.keys.create(this.#users[who], 'Another');
		});
	}

	/** Gives the person a key, known as `{ownerKey}` and so on. */
	async giveKey(who: Person): Promise<void> {
		await this.#keyOf(who);
	}

	/** Writes down what is otherwise written some seconds later. */
	async flush(): Promise<void> {
		await this.accounts.services.credentials.stop();
	}

	addresses(count: number): readonly string[] {
		return Array.from({length: count}, (_, number) => `somebody${number}@example.com`);
	}

	/** Invites into the team; the last token is known as `{invite}`. */
	async invite(...emails: readonly string[]): Promise<void> {
		const {invites} = this.accounts.services;
		for (const email of emails) {
			const invite = {email, role: 'member'} as const;
			const {token} = await invites.create(this.#users.owner, this.#id('team'), invite);
			this.#ids.set('invite', token);
		}
	}

	/** An inbox of the person's in the team, known as `{inbox}`. */
	async addTeamInbox(who: Person): Promise<void> {
		const {inbox} = await this.#addInbox(who, this.#id('team'));
		this.#ids.set('inbox', inbox.id);
	}

	async addInboxes(who: Person, count: number): Promise<void> {
		await repeat(count, async () => this.#addInbox(who, null));
	}

	/** Mail in the inbox `{inbox}`; the last message is known as `{message}`. */
	async deliver(count: number): Promise<void> {
		const {messages, inboxes} = this.#api.services;
		const owner = this.#users.owner;
		const {inbox} = await inboxes.get(owner, this.#id('inbox'));
		const envelope = {from: 'from@example.com', to: [inbox.address]};
		await repeat(count, async () => messages.deliver(envelope, Readable.from([Buffer.from('Subject: Hi\r\n\r\nHi')])));
		const [message] = await messages.list(owner, inbox.id, {}, {page: 1, limit: 1});
		this.#ids.set('message', message?.id ?? '').set('attachment', '1');
	}

	/** An endpoint of the owner's, known as `{endpoint}`, with deliveries; the last of them is known as `{delivery}`. */
	async addEndpoint(deliveries: number): Promise<void> {
		const {webhooks} = this.#api.services;
		const owner = this.#users.owner;
		const {id} = await webhooks.create(owner, {url: 'http://127.0.0.1:9/', events: ['message.received']});
		this.#ids.set('endpoint', id);
		await repeat(deliveries, async () => this.#ids.set('delivery', (await webhooks.test(owner, id)).id));
	}

	/** How many requests are held open until something comes into `{inbox}`. */
	get waiting(): number {
		return this.#api.services.feed.waiting(this.#id('inbox'));
	}

	async #addInbox(who: Person, teamId: string | null) {
		const fields = {name: null, claim: null, ttlSeconds: null};
		return this.#api.services.inboxes.create(this.#users[who], {...fields, teamId});
	}

	/** Good for longer than any test looks ahead. */
	async #issueTokens(): Promise<void> {
		for (const who of people) {
			const {token} = await this.accounts.services.credentials.issueToken(this.#users[who].id, 30 * 86_400);
			this.#tokens.set(who, token);
		}
	}

	async #foundTeam(): Promise<void> {
		const {teams, invites} = this.accounts.services;
		const owner = this.#users.owner;
		const {team} = await teams.create(owner, 'Red');
		this.#ids.set('team', team.id);
		for (const role of ['admin', 'member'] as const) {
			const {token} = await invites.create(owner, team.id, {email: this.#users[role].email, role});
			await invites.accept(this.#users[role], token);
		}
	}

	async #keyOf(who: Person): Promise<string> {
		const kept = this.#keys.get(who);
		if (kept !== undefined) {
			return kept;
		}

		const {key, raw} = await this.accounts.services.keys.create(this.#users[who], 'Own');
		this.#keys.set(who, raw);
		this.#ids.set(`${who}Key`, key.id);
		return raw;
	}

	#id(name: string): string {
		const id = this.#ids.get(name);
		expect(id, `{${name}} is not known`).toBeDefined();
		return id ?? '';
	}
}

async function repeat(count: number, work: () => Promise<unknown>): Promise<void> {
	for (let done = 0; done < count; done++) {
		await work();
	}
}
