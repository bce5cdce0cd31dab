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
	console.warn('The web app is not tested: there is no Chromium on the PATH.');
}

/** A user with a token and an API key. */
export type Person = {
	readonly email: string;
	readonly token: string;
	readonly key: string;
	readonly keyId: string;
	readonly api: Client;
};

/** The target of a login link. The message id may be `latest`. */
export type Place = {readonly inbox_id?: string; readonly message_id?: string};

type Running = Daemon & {readonly pid: number};

/** A daemon process, and its web app in Chromium. */
export class WebWorld {
	readonly #env: Record<string, string>;
	readonly #chromium: Browser;
	readonly #operator: Client;
	readonly #errors: string[] = [];
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

	/** Origin of the web app. */
	get site(): string {
		return new URL(this.#daemon.url).origin;
	}

	get smtp(): Daemon['smtp'] {
		return this.#daemon.smtp;
	}

	/** URL of the API, ending with `/v1`. */
	get url(): string {
		return this.#daemon.url;
	}

	get pid(): number {
		return this.#daemon.pid;
	}

	get dataDir(): string {
		return this.#daemon.data_dir;
	}

	/** Creates the user `<name>@example.com`. */
	async person(name: string): Promise<Person> {
		const email = `${name}@example.com`;
		const {id} = await this.#operator.users.create({name, email, plan: 'business'});
		const {token} = await this.#operator.users.createToken(id);
		const {key, id: keyId} = await apiClient({url: this.url, token}).keys.create();
		return {email, token, key, keyId, api: apiClient({url: this.url, token, apiKey: key})};
	}

	/** Creates a single-use login link. */
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

	/** Opens a browser context without cookies and with access to the clipboard. */
	async browser(): Promise<BrowserContext> {
		const context = await openBrowser(this.#chromium, {viewport: {width: 1440, height: 900}});
		await context.grantPermissions(['clipboard-read', 'clipboard-write'], {origin: this.site});
		context.on('page', page => page.on('crash', () => this.#errors.push('The page crashed.')));
		context.on('weberror', error => this.#errors.push(`uncaught at ${error.page()?.url()}: ${error.error().stack}`));
		context.on('console', message => this.#record(message));
		context.on('request', request => isForeign(request.url(), this.site) && this.#foreign.push(request));
		return context;
	}

	/** Opens the web app in a new browser context, logged in as the person. */
	async enter(person: Pick<Person, 'key'>, place?: Place): Promise<Page> {
		const page = await (await this.browser()).newPage();
		await page.goto(await this.link(person, place));
		// The login page also has a `main`.
		await page.locator('main.panes').waitFor();
		// All contexts of a Chromium share the clipboard.
		await page.evaluate("navigator.clipboard.writeText('')");
		return page;
	}

	/** Sends a mail by SMTP. Resolves when the daemon has stored it. */
	async send(to: string | string[], mail: SendMailOptions = {}): Promise<void> {
		const transport = createTransport({...this.smtp, ignoreTLS: true});
		await transport.sendMail({from: 'Acme <hello@acme.example>', subject: 'Hello', text: 'Hello', ...mail, to});
		transport.close();
	}

	/** Kills the daemon with SIGKILL. */
	async kill(): Promise<void> {
		process.kill(this.pid, 'SIGKILL');
		await expect.poll(() => processBirth(this.pid)).toBeUndefined();
	}

	/** Restarts the daemon on the same ports. */
	async start(): Promise<void> {
		const ports = {TINBOX_HTTP_PORT: new URL(this.url).port, TINBOX_SMTP_PORT: String(this.smtp.port)};
		const {stdout, stderr} = await runCli({...this.#env, ...ports}, ['daemon', 'start', '--json']);
		expect(stderr).toBe('');
		this.#daemon = JSON.parse(stdout);
	}

	/** Adds patterns of problems that the test causes on purpose. */
	tolerate(...patterns: readonly RegExp[]): void {
		this.#tolerated.push(...patterns);
	}

	/** Console errors, uncaught errors and requests to foreign hosts, except the tolerated ones. */
	get problems(): readonly string[] {
		const sent = this.#foreign.filter(request => !['csp', 'origin'].includes(request.failure()?.errorText ?? ''));
		const all = [...this.#errors, ...sent.map(request => `asked ${request.url()}`)];
		return all.filter(problem => !this.#tolerated.some(pattern => pattern.test(problem)));
	}

	/** Records errors and warnings, which include violations of the content security policy. */
	#record(message: ConsoleMessage): void {
		if (['error', 'warning', 'assert'].includes(message.type())) {
			this.#errors.push(`${message.type()} at ${message.location().url}: ${message.text()}`);
		}
	}
}

function isForeign(address: string, site: string): boolean {
	const {protocol, origin} = new URL(address);
	return !['data:', 'blob:', 'about:'].includes(protocol) && origin !== site;
}

type Fixtures = {
	readonly web: WebWorld;
	/** The user who is logged in on `page`. */
	readonly person: Person;
	/** The web app after the login. */
	readonly page: Page;
};

/** A test of the web app in Chromium. Fails on errors on the console and on requests to foreign hosts. */
export const webTest = chromiumTest
	.extend<Fixtures>({
		web: async ({cli, env, chromium}, use) => {
			const web = await WebWorld.open(cli, env, chromium);
			await use(web);
			expect(web.problems).toEqual([]);
		},
		person: async ({web}, use) => use(await web.person('ann')),
		page: async ({web, person}, use) => use(await web.enter(person)),
	})
	.skipIf(chromiumPath === undefined);
