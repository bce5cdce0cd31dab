import {execFileSync, spawnSync} from 'node:child_process';
import path from 'node:path';
import {execa} from 'execa';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {parse} from 'yaml';
import {runCli} from '../../helpers/cli.js';
import {askDatabase} from '../../helpers/postgres-cluster.js';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {hasNoPostgres, testCluster} from '../../unit/store/postgres-fixture.js';
import {blocksIn, root} from '../docs/blocks.js';
import {createWorld, isInstalled} from '../docs/world.js';
import {atDatabase, fileOf, folder, startBalancer, startRecipeNode, variablesIn} from './recipe.js';

const pages = ['docs/operate/postgresql.md', 'docs/operate/backup.md'];
const blocks = new Map(pages.flatMap(page => blocksIn(page).map(({name, code}) => [name, code])));
const codeOf = (name: string) => blocks.get(name) ?? expect.unreachable(`There is no block "${name}".`);
const mail = 'Subject: Hello\r\n\r\nHello\r\n';

test('the pages about PostgreSQL and backups have exactly the tested code blocks', () => {
	expect([...blocks.keys()].sort()).toEqual([
		'Balancer: sh',
		'Containers: sh',
		'Database: sh',
		'Files: sh',
		'Files: sh 2',
		'Moving in and out: sh',
		'Nodes: sh',
		'Nodes: sh 2',
		'PostgreSQL: sh',
		'PostgreSQL: sh 2',
		'What to watch: sh',
	]);
});

describe('docs/server', () => {
	test.skipIf(!isInstalled('systemd-analyze'))('has a tinbox.service that systemd accepts', () => {
		const {status, stderr} = spawnSync('systemd-analyze', ['verify', path.join(folder, 'tinbox.service')]);
		expect({status, stderr: String(stderr)}).toEqual({status: 0, stderr: ''});
	});

	test('has a node.env with the path to which the page copies the key', () => {
		expect(codeOf('Nodes: sh 2')).toContain(`:${variablesIn('node.env')['TINBOX_STORE_KEY_FILE']} `);
		for (const [, file = ''] of codeOf('Nodes: sh').matchAll(/docs\/server\/(\S+)/g)) {
			expect(fileOf(file)).not.toBe('');
		}
	});

	test('has a compose.yaml with health checks and start dependencies', () => {
		const {services, volumes} = parse(fileOf('compose.yaml'), {merge: true});
		expect(Object.keys(services)).toEqual(['database', 'node1', 'node2', 'balancer']);
		expect(services.database.healthcheck.test).toContain('pg_isready');
		expect(services.node2.depends_on.node1).toEqual({condition: 'service_healthy'});
		expect(services.node2.environment).toEqual(services.node1.environment);
		expect(Object.keys(volumes)).toEqual(['database', 'key']);
		const {dockerfile} = services.node1.build;
		expect(fileOf(dockerfile)).toContain('HEALTHCHECK');
		expect(services.balancer.volumes[0]).toContain('./haproxy.cfg:');
		for (const name of ['node1', 'node2']) {
			expect(fileOf('haproxy.cfg')).toContain(` ${name}:8025`);
		}
	});
});

test('a restored copy of the data folder has the mail and the credentials of the original', async () => {
	const world = await createWorld();
	const home = String(world.env['TINBOX_HOME']);
	// A substitute for systemctl that controls the daemon of the test.
	const systemctl = `systemctl() { case "$1" in stop) tinbox daemon stop ;; start) tinbox daemon start > /dev/null ;; esac; }`;
	const script = (name: string) => `${systemctl}\n${codeOf(name).replaceAll('/var/lib/tinbox', home)}`;
	const credentials = async () => world.sh('tinbox inbox credentials signup --json=password,send_key');
	await world.sh('tinbox inbox create --name signup && tinbox send signup --subject Kept');
	const before = await credentials();
	await world.sh(script('Files: sh'));
	await world.sh('tinbox messages delete signup --all && tinbox inbox credentials signup --rotate');
	await world.sh(script('Files: sh 2'));
	expect(await world.sh('tinbox messages list signup')).toContain('Kept');
	expect(await credentials()).toBe(before);
});

test.skipIf(!isInstalled('openssl'))(
	'the certificate of the load balancer has the path that compose.yaml mounts',
	async () => {
		const world = await createWorld();
		const docker = 'docker() { echo "$*"; }';
		await world.sh('mkdir -p docs/server');
		expect(await world.sh(`${docker}\n${codeOf('Containers: sh')}`)).toBe('compose up --build --wait');
		const {services} = parse(fileOf('compose.yaml'), {merge: true});
		expect(services.balancer.volumes[1]).toMatch(/^\.\/mail\.example\.com\.pem:/);
		const pem = await world.sh('cat docs/server/mail.example.com.pem');
		expect(pem).toContain('BEGIN CERTIFICATE');
		expect(pem).toContain('PRIVATE KEY');
	},
);

describe.skipIf(hasNoPostgres)('the documented recipe', {timeout: 300_000}, () => {
	const postgres = testCluster();

	/** Creates the database of the recipe. */
	async function createDatabase(): Promise<string> {
		const url = (await postgres.cluster()).url('tinbox');
		await execa('bash', ['-c', atDatabase(codeOf('Database: sh'), url)], {cwd: root});
		onTestFinished(async () => {
			await askDatabase(url.replace(/tinbox$/, 'postgres'), 'drop database if exists tinbox with (force)');
			await askDatabase(url.replace(/tinbox$/, 'postgres'), 'drop role tinbox');
		});
		return url.replace('//postgres@', '//tinbox@');
	}

	test.skipIf(!isInstalled('haproxy'))(
		'keeps accepting mail behind a load balancer after one of two nodes failed',
		async () => {
			const url = await createDatabase();
			const keyFile = path.join(await tempDir(), 'store.key');
			const first = await startRecipeNode(url, keyFile);
			const second = await startRecipeNode(url, keyFile);
			const {send, smtp} = await startBalancer([first, second]);
			const operator = {authorization: `Bearer ${first.operatorToken}`};
			const user = {name: 'Ada', email: 'ada@example.com'};
			// Each node has its own operator token, so only one of them accepts the request.
			const made = await vi.waitFor(async () => {
				const answer = await send('POST', '/v1/users', operator, user);
				expect(answer.status).toBe(201);
				return answer.body;
			});
			const token = await vi.waitFor(async () => {
				const answer = await send('POST', `/v1/users/${made.id}/tokens`, operator);
				expect(answer.status).toBe(201);
				return answer.body.token;
			});
			const {body: key} = await send('POST', '/v1/inboxes/keys', {authorization: `Bearer ${token}`});
			const own = {'x-api-key': key.key};
			const {body: inbox} = await send('POST', '/v1/inboxes', own);
			const sendMail = async () => {
				const session = await SmtpSession.open(smtp);
				await session.send('app@example.com', inbox.email_address, mail);
				await session.quit();
			};
			for (let count = 1; count <= 4; count++) {
				const wait = send('GET', `/v1/inboxes/${inbox.id}/messages?wait=20&limit=10`, own);
				await sendMail();
				expect((await wait).body.length).toBeGreaterThan(0);
			}

			expect(await send('HEAD', '/metrics', operator)).toMatchObject({status: 403});
			await first.stop();
			await vi.waitFor(sendMail);
			const listed = await vi.waitFor(async () => send('GET', `/v1/inboxes/${inbox.id}/messages`, own));
			expect(listed.body).toHaveLength(5);

			const server = await postgres.cluster();
			await server.stop();
			const session = await SmtpSession.open(smtp);
			await expect(session.send('app@example.com', inbox.email_address, mail)).rejects.toThrow(/451 4\.3\.0/);
			await vi.waitFor(async () => {
				const {status, headers} = await send('GET', '/v1/ready');
				expect({status, retryAfter: headers['retry-after']}).toEqual({status: 503, retryAfter: '1'});
			});
			await server.start();
			await vi.waitFor(sendMail);
		},
	);

	test('copies, backs up and restores a store that a node starts with', async () => {
		const url = await createDatabase();
		const world = await createWorld();
		const keyFile = path.join(await tempDir(), 'store.key');
		const folder = path.join(world.folder, 'data');
		const {stdout} = await runCli(world.env, ['inbox', 'create', '--address', 'signup@mail.example.com']);
		expect(stdout).toBe('signup@mail.example.com\n');
		await world.sh('tinbox send signup@mail.example.com --subject Kept');
		const moving = atDatabase(codeOf('Moving in and out: sh'), url)
			.replace('~/.local/share/tinbox', '"$TINBOX_HOME/data"')
			.replace('store.key', keyFile);
		expect(await world.sh(moving)).toContain('messages\t1');

		await world.sh(atDatabase(codeOf('PostgreSQL: sh'), url));
		await askDatabase(url, 'delete from tinbox.messages');
		await world.sh(atDatabase(codeOf('PostgreSQL: sh 2'), url));
		const watched = atDatabase(codeOf('What to watch: sh'), url).replace('docs/', `${root}/docs/`);
		expect(await world.sh(watched)).toMatch(/^pending deliveries\|0$/m);

		const back = `tinbox store copy --from "${url}" --to ${folder} --store-key-file ${keyFile}`;
		expect(await world.sh(back)).toContain('messages\t1');
		await world.sh(`tinbox daemon start --data-dir ${folder}`);
		expect(await world.sh('tinbox messages list signup@mail.example.com')).toContain('Kept');
	});

	test.skipIf(!isInstalled('haproxy'))('has a haproxy.cfg that HAProxy accepts', async () => {
		const home = await tempDir();
		const names = fileOf('haproxy.cfg')
			.replace(/^\s*bind :443.*$/m, '')
			.replace(/node[12]:/g, '127.0.0.1:');
		await execa('mkdir', ['-p', 'docs/server'], {cwd: home});
		await execa('tee', ['docs/server/haproxy.cfg'], {cwd: home, input: names});
		execFileSync('bash', ['-c', codeOf('Balancer: sh')], {cwd: home});
	});
});
