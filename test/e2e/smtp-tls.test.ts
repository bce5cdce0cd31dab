import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {createTransport} from 'nodemailer';
import {expect, vi} from 'vitest';
import {type Cli, cliTest} from '../helpers/cli.js';

type Place = {readonly host: string; readonly port: number};

type State = {readonly smtp: Place; readonly smtps: Place | null; readonly data_dir: string};

type SendOptions = {
	readonly servername?: string;
	/** Rejects certificates that the client does not trust. */
	readonly verifies?: boolean;
	/** Uses implicit TLS instead of STARTTLS. */
	readonly isImplicit?: boolean;
	readonly clientCertificate?: {readonly cert: string; readonly key: string};
};

async function start(cli: Cli, ...flags: readonly string[]): Promise<State> {
	const {stdout, stderr, exitCode} = await cli('daemon', 'start', '--json', ...flags);
	expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
	return JSON.parse(stdout);
}

/** Sends a mail with only the CA of the daemon trusted. Returns the reply or the error message. */
async function send({smtp, smtps, data_dir}: State, to: string, options: SendOptions = {}): Promise<string> {
	const {servername = 'localhost', verifies = true, isImplicit = false, clientCertificate} = options;
	// The daemon creates the file in the background.
	const ca = await vi.waitFor(async () => readFile(`${data_dir}/tls/ca.pem`, 'utf8'));
	const transport = createTransport({
		...(isImplicit ? smtps : smtp),
		secure: isImplicit,
		requireTLS: true,
		tls: {
			...{servername, ca, rejectUnauthorized: verifies},
			...clientCertificate,
			// Settings of a client that accepts old TLS versions.
			...(servername.startsWith('old-tls.') && !verifies && {minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0'}),
		},
	});
	const sent = transport.sendMail({envelope: {from: 'app@example.com', to}, raw: 'Subject: Hi\r\n\r\nHi\r\n'});
	return sent.then(
		({response}) => response,
		(error: Error) => error.message,
	);
}

cliTest('a client that trusts the CA of the daemon delivers by STARTTLS and implicit TLS', async ({cli}) => {
	const state = await start(cli);
	const to = (await cli('inbox', 'create')).stdout.trim();
	for (const isImplicit of [false, true]) {
		expect(await send(state, to, {isImplicit})).toMatch(/^250 /);
	}

	const {stdout} = await cli('messages', 'list', to, '--json');
	const messages: Array<{session: object}> = JSON.parse(stdout);
	expect(messages.map(({session}) => session)).toMatchObject(
		[1, 2].map(() => ({tls: {version: 'TLSv1.3', servername: 'localhost'}, auth: null})),
	);
});

cliTest(
	'a server name with a defective certificate is rejected by verifying clients, and accepted without verification',
	async ({cli}) => {
		const state = await start(cli);
		const to = (await cli('inbox', 'create')).stdout.trim();
		const defects = ['expired', 'wrong-host', 'self-signed', 'untrusted', 'old-tls'];
		for (const servername of defects.map(defect => `${defect}.tinbox.test`)) {
			for (const isImplicit of [false, true]) {
				const options = {servername, isImplicit};
				expect(await send(state, to, options), `${servername} verified`).not.toMatch(/^250/);
				expect(await send(state, to, {...options, verifies: false}), `${servername} not verified`).toMatch(/^250 /);
			}
		}

		const {stdout} = await cli('messages', 'list', to, '--json');
		const versions = JSON.parse(stdout).map(({session}: {session: {tls: {version: string}}}) => session.tls.version);
		expect(versions.sort()).toEqual([...Array(2).fill('TLSv1.1'), ...Array(8).fill('TLSv1.3')]);
		const doctor = (await cli('doctor')).stdout;
		expect(doctor).toMatch(
			/10 in the last hour, .* TLS from 127\.0\.0\.1: .*; requested server name: old-tls\.tinbox\.test/,
		);
		const {stdout: log} = await cli('daemon', 'logs', '-n', '200');
		for (const defect of defects) {
			expect(log).toContain(`requested server name: ${defect}.tinbox.test`);
		}
	},
);

cliTest('--tls off disables STARTTLS, and --tls require rejects mail in plain text', async ({cli}) => {
	const off = await start(cli, '--tls', 'off');
	expect(off.smtps).toBeNull();
	const to = (await cli('inbox', 'create')).stdout.trim();
	const client = createTransport({...off.smtp, requireTLS: true});
	await expect(client.sendMail({envelope: {from: 'a@b.test', to}, raw: 'x'})).rejects.toThrow(/STARTTLS/);
	expect(await cli('daemon', 'restart', '--tls', 'require')).toMatchObject({exitCode: 0, stderr: ''});
	const state: State = JSON.parse((await cli('daemon', 'status', '--json')).stdout);
	expect(await send(state, to)).toMatch(/^250 /);
	const plain = createTransport({...state.smtp, ignoreTLS: true});
	await expect(plain.sendMail({envelope: {from: 'a@b.test', to}, raw: 'x'})).rejects.toThrow(
		/530 5\.7\.0 Must issue a STARTTLS command first/,
	);
	expect(await cli('send', to, '--subject', 'Hi')).toMatchObject({exitCode: 0});
	expect((await cli('doctor')).exitCode).toBe(0);
});

cliTest('a message shows the client certificate if --tls-client-ca issued it', async ({cli}) => {
	const file = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
	const state = await start(cli, '--tls-client-ca', file('ca'));
	const to = (await cli('inbox', 'create')).stdout.trim();
	for (const name of ['client', 'stranger']) {
		const clientCertificate = {
			cert: await readFile(file(name), 'utf8'),
			key: await readFile(file(`${name}-key`), 'utf8'),
		};
		expect(await send(state, to, {clientCertificate})).toMatch(/^250 /);
	}

	const messages: Array<{session: {tls: {client?: string}}}> = JSON.parse(
		(await cli('messages', 'list', to, '--json')).stdout,
	);
	expect(messages.map(({session}) => session.tls.client)).toEqual([undefined, 'O=Shop, CN=app']);
});
