import {expect} from 'vitest';
import {apiClient} from '../../../../src/client/index.js';
import type {Plan} from '../../../../src/contract/constants.js';
import type {OpenedWebSessionBody} from '../../../../src/contract/keys.js';

const people = ['owner', 'admin', 'member', 'guest'] as const;

export type Person = (typeof people)[number];

/** Caller with the kind of credentials. */
export type Caller = 'nobody' | 'operator' | `${Person}'s token` | `${Person}'s key`;

/** Method and path below `/v1`; `{name}` stands for the id or token that the world has under this name. */
export type Request = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

export type Headers = Readonly<Record<string, string>>;

/** API with the token of its operator. */
export type ApiAddress = {readonly url: string; readonly operatorToken: string};

const tokenLifetimeS = 30 * 86_400;

/**
 * Team "Red" with an owner, an admin and a member, a guest outside of the team, and one or more APIs that
 * receive requests in turn.
 */
export abstract class World {
	readonly #places: readonly [ApiAddress, ...ApiAddress[]];
	#turn = 0;
	readonly #ids = new Map<string, string>();
	readonly #keys = new Map<Person, string>();
	readonly #tokens = new Map<Person, string>();

	protected constructor(...places: readonly [ApiAddress, ...ApiAddress[]]) {
		this.#places = places;
	}

	abstract close(): Promise<void>;

	/** Advances the clock. */
	abstract passTime(ms: number): void;

	/** Writes data whose write is delayed. */
	abstract flush(): Promise<void>;

	/** Creates the users and the team, with tokens that outlive every test. */
	protected async populate(): Promise<void> {
		const {users} = this.#asOperator();
		await each(people, async who => {
			const {id} = await users.create({name: who, email: emailOf(who), plan: 'business'});
			this.#ids.set(who, id);
			this.#tokens.set(who, (await users.createToken(id, {expires_in: tokenLifetimeS})).token);
		});
		this.#ids.set('team', (await this.#account('owner').teams.create({name: 'Red'})).id);
		// One after the other, because members are listed in the order of joining.
		for (const role of ['admin', 'member'] as const) {
			const {token} = await this.#account('owner').teams.invite(this.#id('team'), {email: emailOf(role), role});
			await this.#account(role).teams.accept({token});
		}
	}

	/** Sends a request; a body that is a string is sent as a mail. */
	async send(request: Request, as: Caller | Headers, body?: object | string): Promise<Response> {
		const [method = '', path = ''] = request.split(' ');
		const address = this.#next();
		return fetch(address.url + this.fill(path), {
			method,
			headers: {
				...(typeof as === 'string' ? await this.headersOf(as, address) : as),
				...(body && {'Content-Type': typeof body === 'string' ? 'message/rfc822' : 'application/json'}),
			},
			...(body && {body: typeof body === 'string' ? body : this.fill(JSON.stringify(body))}),
		});
	}

	async status(request: Request, as: Caller | Headers, body?: object): Promise<number> {
		const response = await this.send(request, as, body);
		await response.arrayBuffer();
		return response.status;
	}

	async json(request: Request, as: Caller | Headers, body?: object): Promise<unknown> {
		return (await this.send(request, as, body)).json();
	}

	/** Headers that authenticate the caller. */
	async headersOf(as: Caller, {operatorToken} = this.#next()): Promise<Headers> {
		if (as === 'nobody') {
			return {};
		}

		if (as === 'operator') {
			return {Authorization: `Bearer ${operatorToken}`};
		}

		const [who, kind] = as.split("'s ") as [Person, 'key' | 'token'];
		return kind === 'key' ? {'X-API-Key': await this.#keyOf(who)} : {Authorization: `Bearer ${this.#tokens.get(who)}`};
	}

	/** Replaces names by ids. */
	fill(text: string): string {
		return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => this.#id(name));
	}

	async setPlan(who: Person, plan: Plan): Promise<void> {
		await this.#asOperator().users.update(this.#id(who), {plan});
	}

	async addTeams(who: Person, count: number): Promise<void> {
		await repeat(count, async () => this.#account(who).teams.create({name: 'Another'}));
	}

	async addKeys(who: Person, count: number): Promise<void> {
		await repeat(count, async () => this.#account(who).keys.create());
	}

	/** Creates a key of the person, known as `{ownerKey}` and so on. */
	async giveKey(who: Person): Promise<void> {
		await this.#keyOf(who);
	}

	/** Opens a web session of the person, known as `{session}`, and returns its headers. */
	async openWebSession(who: Person): Promise<{readonly Cookie: string; readonly 'X-Tinbox-App': string}> {
		const headers = {'X-API-Key': await this.#keyOf(who), 'X-Tinbox-App': '1'};
		const response = await fetch(new URL('/app/session', this.#next().url), {method: 'POST', headers});
		expect(response.status).toBe(201);
		const {app_key} = (await response.json()) as OpenedWebSessionBody;
		const {web_sessions} = await (await this.#api(who)).webSessions.list();
		this.#ids.set('session', web_sessions[0]?.id ?? '');
		const [cookie = ''] = (response.headers.get('Set-Cookie') ?? '').split(';');
		return {Cookie: cookie, 'X-Tinbox-App': app_key};
	}

	addresses(count: number): readonly string[] {
		return Array.from({length: count}, (_, number) => `somebody${number}@example.com`);
	}

	/** Invites to the team; the last token is known as `{invite}`. */
	async invite(...emails: readonly string[]): Promise<void> {
		for (const email of emails) {
			const {token} = await this.#account('owner').teams.invite(this.#id('team'), {email});
			this.#ids.set('invite', token);
		}
	}

	/** Creates an inbox of the person in the team, known as `{inbox}`. */
	async addTeamInbox(who: Person): Promise<void> {
		const {inboxes} = await this.#api(who);
		this.#ids.set('inbox', (await inboxes.create({team_id: this.#id('team')})).id);
	}

	/** Creates an inbox of the person, known as `{inbox}`, and returns its address. */
	async addInbox(who: Person): Promise<string> {
		const {inboxes} = await this.#api(who);
		const {id, email_address} = await inboxes.create();
		this.#ids.set('inbox', id);
		return email_address;
	}

	async addInboxes(who: Person, count: number): Promise<void> {
		const {inboxes} = await this.#api(who);
		await repeat(count, async () => inboxes.create());
	}

	/** Sends mail to `{inbox}`; the last message is known as `{message}`. */
	async deliver(count: number): Promise<void> {
		const {inboxes, messages} = await this.#api('owner');
		const {id, email_address} = await inboxes.get(this.#id('inbox'));
		const mail = {from: 'shop@shop.example', to: email_address, subject: 'Hi', text: 'Hi'};
		await repeat(count, async () => messages.send(mail));
		const [message] = await messages.list(id, {limit: 1});
		this.#ids.set('message', message?.id ?? '').set('attachment', '1');
	}

	/** Creates a fault of `{inbox}`, known as `{fault}`. */
	async addFault(): Promise<void> {
		const {faults} = await this.#api('owner');
		const {id} = await faults.create(this.#id('inbox'), {stage: 'rcpt', reply: '451 Later'});
		this.#ids.set('fault', id);
	}

	/** Creates a Resend template of the person, known as `{template}`. */
	async addTemplate(who: Person): Promise<void> {
		const {templates} = await this.#api(who);
		const {id} = await templates.put('resend', 'welcome', {html: 'Hi'});
		this.#ids.set('template', id);
	}

	/**
	 * Creates an endpoint of the owner, known as `{endpoint}`, with test deliveries; the last delivery is known as
	 * `{delivery}`.
	 */
	async addEndpoint(deliveries: number): Promise<void> {
		const {webhooks} = await this.#api('owner');
		const {id} = await webhooks.create({url: 'http://127.0.0.1:9/'});
		this.#ids.set('endpoint', id);
		await repeat(deliveries, async () => this.#ids.set('delivery', (await webhooks.test(id)).delivery.id));
	}

	#next(): ApiAddress {
		return this.#places[this.#turn++ % this.#places.length] ?? this.#places[0];
	}

	#asOperator() {
		const {url, operatorToken: token} = this.#next();
		return apiClient({url, token});
	}

	#account(who: Person) {
		return apiClient({url: this.#next().url, token: this.#tokens.get(who) ?? ''});
	}

	async #api(who: Person) {
		return apiClient({url: this.#next().url, apiKey: await this.#keyOf(who)});
	}

	async #keyOf(who: Person): Promise<string> {
		const kept = this.#keys.get(who);
		if (kept !== undefined) {
			return kept;
		}

		const {id, key} = await this.#account(who).keys.create({name: 'Own'});
		this.#keys.set(who, key);
		this.#ids.set(`${who}Key`, id);
		return key;
	}

	#id(name: string): string {
		const id = this.#ids.get(name);
		expect(id, `{${name}} is not known`).toBeDefined();
		return id ?? '';
	}
}

function emailOf(who: Person): string {
	return `${who}@example.com`;
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	await Promise.all(items.map(work));
}

/** Runs the work concurrently, which is faster. */
async function repeat(count: number, work: () => Promise<unknown>): Promise<void> {
	await Promise.all(Array.from({length: count}, work));
}
