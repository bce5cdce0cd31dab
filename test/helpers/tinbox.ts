import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {Readable} from 'node:stream';
import {onTestFinished} from 'vitest';
import {type DaemonSettings, defaultSettings} from '../../src/config/settings.js';
import {type Assembly, assemble} from '../../src/daemon/assemble.js';
import type {User} from '../../src/domain/accounts/user.js';
import type {Session} from '../../src/domain/mail/message.js';
import type {NodeIdentity} from '../../src/domain/node.js';
import type {SendWebhook} from '../../src/domain/webhooks/delivery.js';
import type {Services} from '../../src/http/services.js';
import {startAll} from '../../src/lib/lifecycle.js';
import type {Log} from '../../src/lib/log.js';
import {createParser, type Parser} from '../../src/mime/parser.js';
import type {Store} from '../../src/store/port.js';
import type {Certificates} from '../../src/tls/certificates.js';
import {openTestStore} from './open-store.js';
import {silent, testResources} from './resources.js';

export type TinboxOptions = {
	/** The address to listen on. */
	readonly host?: string;
	readonly names?: readonly string[];
	readonly settings?: Partial<DaemonSettings>;
	/** Assumed limit of open files. */
	readonly openFiles?: number;
	readonly now?: () => Date;
	/** Certificates for TLS; without them there is no TLS. */
	readonly certificates?: Certificates;
	/** Sends webhooks; without it, they succeed without a request. */
	readonly send?: SendWebhook;
	/** Opens the store of a data folder; by default, the store of the current Vitest project. */
	readonly openStore?: (dir: string) => Promise<Store>;
	/** Receives log messages of the level info. */
	readonly info?: Log['info'];
	/** Identity of this node among those that share the store. */
	readonly node?: NodeIdentity;
	/** Wraps the store that the services use, for example to make it fail. */
	readonly wrapStore?: (store: Store) => Store;
	/** Wraps the parser that the services use, for example to count calls or to fail. */
	readonly wrapParser?: (parser: Parser) => Parser;
};

/** A user with an API key. */
export type Person = {readonly user: User; readonly key: string};

/** A session from this machine without TLS and login. */
export const plainTextSession: Session = {tls: null, auth: null, client: {host: '127.0.0.1', helo: 'app'}};

/** The parser of all instances in this process. It is stateless, and its threads start too slowly to have one per test. */
const parser: Parser = {...createParser(), start: () => {}, stop: async () => {}};

/** A daemon in this process, in a temporary folder and on free ports. Only webhooks are not sent by default. */
export class Tinbox {
	readonly logged: Array<{readonly fields: object; readonly message: string}> = [];
	readonly store: Store;
	readonly dir: string;
	readonly #options: TinboxOptions;
	readonly #assembled: Assembly;
	#stop = async () => {};

	private constructor(dir: string, store: Store, options: TinboxOptions) {
		this.dir = dir;
		this.#options = options;
		this.store = (options.wrapStore ?? same)(store);
		this.#assembled = this.#assemble();
	}

	static async open(options: TinboxOptions = {}, dir?: string): Promise<Tinbox> {
		const folder = dir ?? (await mkdtemp(path.join(tmpdir(), 'tinbox-')));
		const {keep = null, keepForMs = null} = options.settings ?? {};
		const {openStore = dir => openTestStore({dir, log: silent, retention: {keep, keepForMs}})} = options;
		const tinbox = new Tinbox(folder, await openStore(folder), options);
		tinbox.#stop = await startAll(tinbox.#assembled.parts);
		return tinbox;
	}

	get services(): Services {
		return this.#assembled.services;
	}

	get faultEngine(): Assembly['faultEngine'] {
		return this.#assembled.faultEngine;
	}

	/** URL of the API, ending with `/v1`. */
	get url(): string {
		return this.#assembled.http.url;
	}

	/** HTTPS URL of the API. */
	get secureUrl(): string {
		return this.#assembled.http.secureUrl ?? '';
	}

	get port(): number {
		return this.#assembled.http.port;
	}

	get smtp(): {readonly host: string; readonly port: number} {
		return this.#assembled.addresses().smtp;
	}

	/** Creates a user with an API key; a local user if the domain is `localhost`. */
	async user(name: string, domain = 'example.com'): Promise<Person> {
		const user = await this.services.users.create({name, email: `${name}@${domain}`, plan: 'business'});
		return {user, key: (await this.services.keys.create(user, 'Key')).raw};
	}

	/** Receives a mail like the SMTP server. */
	async deliver(
		to: string | readonly string[],
		source: string | Buffer,
		from = 'sender@example.com',
		session = plainTextSession,
	): Promise<void> {
		await this.services.receiver.receiveOne({
			envelope: {from, to: [to].flat()},
			session,
			source: Readable.from([Buffer.from(source)]),
		});
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

	/** Stops only the HTTP server. */
	async stopServer(): Promise<void> {
		await this.#assembled.http.stop();
	}

	/** Stops the daemon and opens another one with the same data folder. */
	async restart(options = this.#options): Promise<Tinbox> {
		await this.#stop();
		return Tinbox.open(options, this.dir);
	}

	async close(): Promise<void> {
		await this.#stop();
		await rm(this.dir, {recursive: true, force: true});
	}

	#assemble(): Assembly {
		const {wrapParser = same, host = '127.0.0.1', names = [], openFiles, certificates, send, now, node} = this.#options;
		const ports = {host, hostNames: names, httpPort: 0, smtpPort: 0};
		const settings = {...defaultSettings(this.dir), ...ports, ...this.#options.settings};
		const files = openFiles === undefined ? {} : {openFiles};
		const sender = send && {sender: {send, close: async () => {}}};
		const own = {
			parser: wrapParser(parser),
			certificates,
			log: this.#log(),
			...files,
			...sender,
			...(now && {now}),
			...(node && {node}),
		};
		return assemble(settings, testResources(this.store, own));
	}

	#log(): Log {
		const write = (fields: object, message: string) => void this.logged.push({fields, message});
		return {info: this.#options.info ?? silent.info, warn: write, error: write};
	}
}

function same<T>(value: T): T {
	return value;
}

/** Opens a daemon that is closed with the test. */
export async function openTinbox(options: TinboxOptions = {}): Promise<Tinbox> {
	const tinbox = await Tinbox.open(options);
	onTestFinished(async () => tinbox.close());
	return tinbox;
}

export function mail(subject: string, text = 'Hello', from = 'Ann <ann@example.com>'): string {
	return `From: ${from}\r\nTo: you@tinbox.test\r\nSubject: ${subject}\r\n\r\n${text}\r\n`;
}
