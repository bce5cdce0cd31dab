import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {createTransport, type SendMailOptions} from 'nodemailer';
import type {Browser, BrowserContext, ConsoleMessage, Page, Request} from 'playwright-core';
import {expect} from 'vitest';
import {apiClient, type Client} from '../../../src/client/index.js';
import {processBirth} from '../../../src/lib/io/process-lock.js';
import {chromiumPath, chromiumTest, openBrowser} from '../../helpers/chromium.js';
import {type Cli, runCli} from '../../helpers/cli.js';
import type {Daemon} from '../daemon-world.js';

if (chromiumPath === undefined) {
	console.warn('There is no Chromium on the PATH: the inbox in the browser is not tried.');
}

/** Somebody with an account. */
export type Person = {
	readonly email: string;
	readonly token: string;
	readonly key: string;
	readonly keyId: string;
	readonly api: Client;
};

/** What a link opens; the newest message is `latest`. */
export type Place = {readonly inbox_id?: string; readonly message_id?: string};

type Running = Daemon & {readonly pid: number};

/** A daemon of its own with the page of it in Chromium, and somebody who is logged in there. */
export class WebWorld {
	readonly #env: Record<string, string>;
	readonly #chromium: Browser;
	readonly #operator: Client;
	readonly #complaints: string[] = [];
	readonly #foreign: Request[] = [];
	readonly #tolerated: RegExp[] = [];
	readonly cli: Cli;
	#daemon: Running;

	private constructor(cli: Cli, env: Record<string, string>, daemon: Running, token: string, chromium: Browser) {
		this.cli = cli;
		this.#env = env;
		this.#daemon = daemon;
		this.#chromium = chromium;
		this.#operator = apiClient({url: daemon.url, token});
	}

	static async open(cli: Cli, env: Record<string, string>, chromium: Browser): Promise<WebWorld> {
		const started = await cli('daemon', 'start', '--json');
		expect(started).toMatchObject({exitCode: 0});
		const daemon: Running = JSON.parse(started.stdout);
		const token = (await readFile(path.join(daemon.data_dir, 'operator-token'), 'utf8')).trim();
		return new WebWorld(cli, env, daemon, token, chromium);
	}

	/** Where the page is, without a path. */
	get site(): string {
		return new URL(this.#daemon.url).origin;
	}

	/** Where mail is taken. */
	get smtp(): Daemon['smtp'] {
		return this.#daemon.smtp;
	}

	/** Ends with `/v1`. */
	get url(): string {
		return this.#daemon.url;
	}

	get pid(): number {
		return this.#daemon.pid;
	}

	get dataDir(): string {
		return this.#daemon.data_dir;
	}

	/** Somebody new, `<name>@example.com`. */
	async person(name: string): Promise<Person> {
		const email = `${name}@example.com`;
		const {id} = await this.#operator.users.create({name, email, plan: 'business'});
		const {token} = await this.#operator.users.createToken(id);
		const {key, id: keyId} = await apiClient({url: this.url, token}).keys.create();
		return {email, token, key, keyId, api: apiClient({url: this.url, token, apiKey: key})};
	}

	/** A link that opens the page once, logged in. */
	async link({key}: Pick<Person, 'key'>, place: Place = {}): Promise<string> {
		const response = await fetch(`${this.url}/web-sessions/links`, {
			method: 'POST',
			headers: {'X-API-Key': key, 'Content-Type': 'application/json'},
			body: JSON.stringify(place),
		});
		const body = (await response.json()) as {readonly url: string};
		expect(response.status, JSON.stringify(body)).toBe(201);
		return body.url;
	}

	/** A browser of its own, with no cookies, and a clipboard that it may use. */
	async browser(): Promise<BrowserContext> {
		const context = await openBrowser(this.#chromium, {viewport: {width: 1440, height: 900}});
		await context.grantPermissions(['clipboard-read', 'clipboard-write'], {origin: this.site});
		context.on('page', page => page.on('crash', () => this.#complaints.push('The page crashed.')));
		context.on('weberror', error =>
			this.#complaints.push(`uncaught at ${error.page()?.url()}: ${error.error().stack}`),
		);
		context.on('console', message => this.#hear(message));
		context.on('request', request => isForeign(request.url(), this.site) && this.#foreign.push(request));
		return context;
	}

	/** The page in a browser of its own, where the person is logged in. */
	async enter(person: Pick<Person, 'key'>, place?: Place): Promise<Page> {
		const page = await (await this.browser()).newPage();
		await page.goto(await this.link(person, place));
		// Before anybody is logged in, the page has a `main`, too.
		await page.locator('main.panes').waitFor();
		// Browsers that tests had before share it.
		await page.evaluate("navigator.clipboard.writeText('')");
		return page;
	}

	/** Sends a mail by SMTP; resolves once the daemon keeps it. */
	async send(to: string | string[], mail: SendMailOptions = {}): Promise<void> {
		const transport = createTransport({...this.smtp, ignoreTLS: true});
		await transport.sendMail({from: 'Acme <hello@acme.example>', subject: 'Hello', text: 'Hello', ...mail, to});
		transport.close();
	}

	/** Ends the daemon as a crash does. */
	async kill(): Promise<void> {
		process.kill(this.pid, 'SIGKILL');
		await expect.poll(() => processBirth(this.pid)).toBeUndefined();
	}

	/** Starts it again where it was. */
	async start(): Promise<void> {
		const ports = {TINBOX_HTTP_PORT: new URL(this.url).port, TINBOX_SMTP_PORT: String(this.smtp.port)};
		const {stdout, stderr} = await runCli({...this.#env, ...ports}, ['daemon', 'start', '--json']);
		expect(stderr).toBe('');
		this.#daemon = JSON.parse(stdout);
	}

	/** What the test brings about on purpose, as it is told on the console. */
	tolerate(...troubles: readonly RegExp[]): void {
		this.#tolerated.push(...troubles);
	}

	/** What the browser complained of, and who else than the daemon was asked; without what is tolerated. */
	get troubles(): readonly string[] {
		const sent = this.#foreign.filter(request => !['csp', 'origin'].includes(request.failure()?.errorText ?? ''));
		const all = [...this.#complaints, ...sent.map(request => `asked ${request.url()}`)];
		return all.filter(trouble => !this.#tolerated.some(pattern => pattern.test(trouble)));
	}

	/** What the policy of the page refuses is told there as an error, too. */
	#hear(message: ConsoleMessage): void {
		if (['error', 'warning', 'assert'].includes(message.type())) {
			this.#complaints.push(`${message.type()} at ${message.location().url}: ${message.text()}`);
		}
	}
}

function isForeign(address: string, site: string): boolean {
	const {protocol, origin} = new URL(address);
	return !['data:', 'blob:', 'about:'].includes(protocol) && origin !== site;
}

type Fixtures = {
	readonly web: WebWorld;
	/** Who is logged in on the page. */
	readonly person: Person;
	/** The page, as it is when a link has opened it. */
	readonly page: Page;
};

/** A test of the page in Chromium. It fails on any error on the console and any request to somebody else. */
export const webTest = chromiumTest
	.extend<Fixtures>({
		web: async ({cli, env, chromium}, use) => {
			const web = await WebWorld.open(cli, env, chromium);
			await use(web);
			expect(web.troubles).toEqual([]);
		},
		person: async ({web}, use) => use(await web.person('ann')),
		page: async ({web, person}, use) => use(await web.enter(person)),
	})
	.skipIf(chromiumPath === undefined);
