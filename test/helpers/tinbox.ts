import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {Readable} from 'node:stream';
import {onTestFinished} from 'vitest';
import {createTargetPolicy} from '../../src/domain/target.js';
import type {User} from '../../src/domain/user.js';
import {HttpServer} from '../../src/http/server.js';
import {type Part, startAll} from '../../src/lib/lifecycle.js';
import type {Log} from '../../src/lib/log.js';
import {createParser} from '../../src/mime/create-parser.js';
import type {Parser} from '../../src/mime/parser.js';
import {Credentials} from '../../src/services/credentials.js';
import {Events} from '../../src/services/events.js';
import {Feed} from '../../src/services/feed.js';
import {Follower} from '../../src/services/follower.js';
import {Inboxes} from '../../src/services/inboxes.js';
import {Invites} from '../../src/services/invites.js';
import {Keys} from '../../src/services/keys.js';
import {Messages} from '../../src/services/messages.js';
import {Previews} from '../../src/services/previews.js';
import {Teams} from '../../src/services/teams.js';
import {tellingStore} from '../../src/services/telling-store.js';
import {Users} from '../../src/services/users.js';
import {createWebhookParts} from '../../src/services/webhook-parts.js';
import {openJsonStore} from '../../src/store/json/open.js';
import type {Store} from '../../src/store/store.js';

export type TinboxOptions = {
	/** The address to listen on. */
	readonly host?: string;
	readonly names?: readonly string[];
	/** Stands between the services and the store, to make it fail. */
	readonly wrapStore?: (store: Store) => Store;
	/** Stands between the services and the parser, to count or to fail. */
	readonly wrapParser?: (parser: Parser) => Parser;
};

/** Somebody with an API key. */
export type Person = {readonly user: User; readonly key: string};

/** Everything but SMTP: the real store, parser, services and HTTP server, in a folder and on a port of their own. */
export class Tinbox {
	readonly logged: Array<{readonly fields: object; readonly message: string}> = [];
	readonly #dir: string;
	readonly #options: TinboxOptions;
	readonly #assembled: ReturnType<Tinbox['assemble']>;
	#stop = async () => {};

	private constructor(dir: string, store: Store, options: TinboxOptions) {
		this.#dir = dir;
		this.#options = options;
		this.#assembled = this.assemble(store);
	}

	static async open(options: TinboxOptions = {}, dir?: string): Promise<Tinbox> {
		const folder = dir ?? (await mkdtemp(path.join(tmpdir(), 'tinbox-')));
		const tinbox = new Tinbox(folder, await openJsonStore({dir: folder, log: silent}), options);
		tinbox.#stop = await startAll(tinbox.#assembled.parts);
		return tinbox;
	}

	get services() {
		return this.#assembled.services;
	}

	get store(): Store {
		return this.#assembled.store;
	}

	/** Ends with `/v1`. */
	get url(): string {
		return this.#assembled.server.url;
	}

	get port(): number {
		return this.#assembled.server.port;
	}

	async user(name: string): Promise<Person> {
		const user = await this.services.users.create({name, email: `${name}@example.com`, plan: 'business'});
		return {user, key: (await this.services.keys.create(user, 'Key')).raw};
	}

	/** Takes a mail in, as the SMTP side does. */
	async deliver(to: string | readonly string[], source: string | Buffer, from = 'sender@example.com'): Promise<void> {
		await this.services.messages.deliver({from, to: [to].flat()}, Readable.from([Buffer.from(source)]));
	}

	async request(method: string, target: string, {key, body}: {key?: string; body?: unknown} = {}): Promise<Response> {
		return fetch(this.url + target, {
			method,
			headers: {
				...(key !== undefined && {'X-API-Key': key}),
				...(body !== undefined && {'Content-Type': 'application/json'}),
			},
			...(body !== undefined && {body: JSON.stringify(body)}),
		});
	}

	/** Stops the server only, as the daemon does first. */
	async stopServer(): Promise<void> {
		await this.#assembled.server.stop();
	}

	/** Stops, and starts again on the same data. */
	async restart(options = this.#options): Promise<Tinbox> {
		await this.#stop();
		return Tinbox.open(options, this.#dir);
	}

	async close(): Promise<void> {
		await this.#stop();
		await rm(this.#dir, {recursive: true, force: true});
	}

	private assemble(realStore: Store) {
		const {wrapStore = same, wrapParser = same, host = '127.0.0.1', names = []} = this.#options;
		const events = new Events();
		const store = tellingStore(wrapStore(realStore), events);
		const log = this.#log();
		const now = () => new Date();
		const feed = new Feed();
		const parser = wrapParser(createParser());
		const {webhooks, announcer, parts} = createWebhookParts(store, {
			send: async () => ({ok: true, status: 200, body: ''}),
			allows: createTargetPolicy({localAllowed: true, allowed: []}),
			findHost: async () => 'unknown',
			retryDelayMs: 30_000,
			retention: {keep: 1000, keepMs: 30 * 86_400_000},
			now,
			log,
		});
		const teams = new Teams(store, now);
		const inboxes = new Inboxes(store, {feed, domain: 'tinbox.test', now, log});
		const messages = new Messages(store, {inboxes, parser, feed, announcer, now, log});
		const services = {
			credentials: new Credentials(store, {operatorToken: 'o'.repeat(43), tokenSecret: 's'.repeat(43), now}),
			users: new Users(store, now),
			keys: new Keys(store, now),
			teams,
			invites: new Invites(store, teams, now),
			inboxes,
			messages,
			previews: new Previews(messages, now),
			webhooks,
			feed,
			follower: new Follower(store, events),
		};
		const server = new HttpServer(services, {host, port: 0, names, log});
		const closed: Part = {name: 'store', start: async () => {}, stop: async () => realStore.close()};
		const parsing: Part = {name: 'parser', start: async () => {}, stop: async () => parser.stop()};
		return {services, store, server, parts: [closed, parsing, ...parts, part(inboxes), part(messages), server]};
	}

	#log(): Log {
		const write = (fields: object, message: string) => void this.logged.push({fields, message});
		return {info: () => {}, warn: write, error: write};
	}
}

const silent: Log = {info: () => {}, warn: () => {}, error: () => {}};

function same<T>(value: T): T {
	return value;
}

function part(service: {start(): Promise<void>; stop(): Promise<void>}): Part {
	return {name: service.constructor.name, start: () => service.start(), stop: () => service.stop()};
}

/** A tinbox for one test. */
export async function openTinbox(options: TinboxOptions = {}): Promise<Tinbox> {
	const tinbox = await Tinbox.open(options);
	onTestFinished(async () => tinbox.close());
	return tinbox;
}

/** A small mail. */
export function mail(subject: string, text = 'Hello', from = 'Ann <ann@example.com>'): string {
	return `From: ${from}\r\nTo: you@tinbox.test\r\nSubject: ${subject}\r\n\r\n${text}\r\n`;
}
