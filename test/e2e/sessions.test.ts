import {createTransport} from 'nodemailer';
import {expect} from 'vitest';
import type {CredentialsBody} from '../../src/contract/inboxes.js';
import {cliTest} from '../helpers/cli.js';

cliTest('a wait filters by TLS and SMTP login, and near misses report the actual session', async ({cli}) => {
	await cli('daemon', 'start');
	const {stdout} = await cli('inbox', 'create', '--json');
	const {
		email_address: to,
		smtp: {host, port, username: user, password: pass},
	}: {readonly email_address: string; readonly smtp: CredentialsBody} = JSON.parse(stdout);
	const send = async (subject: string, options: object) =>
		createTransport({host, port, ...options}).sendMail({from: 'app@example.com', to, subject, text: 'Hi'});
	const wait = (...flags: readonly string[]) => cli('messages', 'wait', to, '--timeout', '0', ...flags);

	await send('Clear', {ignoreTLS: true});
	const timedOut = await wait('--tls', '--smtp-user', user);
	expect(timedOut.exitCode).toBe(124);
	expect(timedOut.stderr).toContain(`No message over TLS sent by SMTP user "${user}" arrived at ${to}`);
	expect(timedOut.stderr).toContain(
		`    It was received without TLS.\n    There was no SMTP login; expected "${user}".\n`,
	);

	await send('Private', {requireTLS: true, tls: {rejectUnauthorized: false}, auth: {user, pass}});
	expect((await wait('--tls', '--smtp-user', user, '--field', 'subject')).stdout).toBe('Private\n');
	expect((await wait('--no-tls', '--field', 'subject')).stdout).toBe('Clear\n');
	expect((await wait('--smtp-user', user, '--no-tls')).stderr).toContain('It was received over TLS.');
	const sessionLine =
		/^Session: TLSv1\.3 \(TLS_AES_256_GCM_SHA384\), login PLAIN as "(.+)", from 127\.0\.0\.1 \(.+\)$/m;
	expect(sessionLine.exec((await cli('messages', 'show', to)).stdout)?.[1]).toBe(user);
	const {session} = JSON.parse((await cli('messages', 'show', to, '--json=session')).stdout);
	expect(session).toMatchObject({auth: {mechanism: 'PLAIN', user}, client: {host: '127.0.0.1'}});
});
