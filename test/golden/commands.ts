import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import type {Transcript} from './transcript.js';

const json = '--json';

/** A message in `signup` with a code, a link and an attachment. */
const sample = `From: Shop <shop@example.com>
To: signup@tinbox.test
Subject: Confirm your sign-up
Date: Thu, 1 Jan 2026 12:00:00 +0000
Message-ID: <sample@shop.example>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html; charset=utf-8

<p>Your verification code is <b>493028</b>.</p><p><a href="https://shop.example/confirm?t=1">Confirm</a></p>
--b
Content-Type: text/plain; name=terms.txt
Content-Disposition: attachment; filename=terms.txt

The terms.
--b--
`;

/** Inboxes and messages: every command with `--json`, then its plain form. */
export async function recordMail(transcript: Transcript): Promise<void> {
	const {run} = bound(transcript);
	transcript.section('Inboxes');
	await run('inbox', 'create', '--address', 'signup@tinbox.test', '--name', 'signup', json);
	await run('inbox', 'create', '--address', 'app@tinbox.test', '--name', 'app', '--keep', '10', '--ttl', '1h');
	await run('inbox', 'list', json);
	await run('inbox', 'list');
	await run('inbox', 'show', 'signup', json);
	await run('inbox', 'show', 'signup');
	await run('inbox', 'credentials', 'signup', json);
	await run('inbox', 'credentials', 'signup');
	await run('inbox', 'update', 'app', '--name', 'shop', '--routing', 'recipients', '--keep-for', '7d', json);

	transcript.section('Messages');
	await run('messages', 'list', 'signup', json);
	await run('messages', 'list', 'signup');
	await run('send', 'signup', '--from', 'shop@tinbox.test', '--subject', 'Hello', '--text', 'Hi', json);
	await transcript.run(['send', 'signup', '--raw', '--from', 'app@tinbox.test'], {input: sample});
	await run('messages', 'wait', 'signup', '--subject', 'Confirm', '--timeout', '20s', json);
	await run('messages', 'wait', 'signup', '--subject', 'Confirm', '--timeout', '20s');
	for (const field of ['code', 'link', 'subject', 'text', 'from_name', 'link[/confirm/]']) {
		await run('messages', 'wait', 'signup', '--subject', 'Confirm', '--field', field);
	}

	await run('messages', 'list', 'signup', '--subject', 'Confirm', json);
	await run('messages', 'list', 'signup');
	await run('messages', 'show', 'signup', 'latest', json);
	await run('messages', 'show', 'signup', 'latest');
	await run('messages', 'raw', 'signup', 'latest');
	await run('messages', 'bounce', 'signup', 'latest', json);
	await run('messages', 'complain', 'signup', 'latest', json);
	await run('messages', 'autoreply', 'signup', 'latest');
	await run('messages', 'list', 'shop', '--json=from,subject,warnings');
	await transcript.run(['messages', 'import', 'shop', '-', json], {input: sample});
	await transcript.run(['messages', 'import', 'shop', '-', '--dry-run'], {input: sample});
	await run('messages', 'export', 'signup', '--format', 'mbox', '--subject', 'Hello');

	transcript.section('Waits that fail');
	await run('messages', 'wait', 'signup', '--subject', 'Reset', '--timeout', '100ms');
	await run('messages', 'wait', 'signup', '--from', 'nobody@', '--contains', 'code', '--timeout', '100ms', json);
	await run('messages', 'wait', 'signup', '--field', 'code', '--subject', 'Hello', '--timeout', '100ms');
	await run('messages', 'wait', 'signup', '--absent', '--timeout', '100ms');
	await run('messages', 'wait', 'signup', '--count', '5', '--timeout', '100ms');
	await run('messages', 'wait', 'signup', '--field', 'reply_to', '--timeout', '100ms');

	transcript.section('Deletion');
	await run('messages', 'delete', 'signup', 'latest');
	await run('messages', 'delete', 'signup', '--all');
	await run('inbox', 'delete', 'signup', 'shop');
}

/** Webhook endpoints, deliveries, faults and templates. */
export async function recordWebhooks(transcript: Transcript): Promise<void> {
	const {run} = bound(transcript);
	await run('inbox', 'create', '--address', 'signup@tinbox.test', '--name', 'signup');
	transcript.section('Webhooks');
	await run('webhooks', 'list', json);
	// Nothing listens on port 9, so attempts fail at once.
	const id = await transcript.read('id', ['webhooks', 'create', 'http://127.0.0.1:9/hook', json]);
	await run('webhooks', 'create', 'http://127.0.0.1:9/resend', '--format', 'resend');
	await run('webhooks', 'list', json);
	await run('webhooks', 'list');
	await run('webhooks', 'update', id, '--event', 'message.received', '--event', 'fault.hit', json);
	await run('webhooks', 'test', id, json);
	await run('webhooks', 'test', id);
	await run('webhooks', 'show', id);
	await run('webhooks', 'deliveries', id, '--json=event,status,attempts,response_status,response_body');
	await run('webhooks', 'redeliver', id, 'latest', '--json=event,status,attempts,response_status,response_body');
	await transcript.run(
		['webhooks', 'verify', '--secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '--signature', '00'],
		{
			input: '{}',
		},
	);
	await run('webhooks', 'update', id, '--no-active');
	await run('webhooks', 'delete', id);

	transcript.section('Faults');
	await run('faults', 'list', 'signup', json);
	await run('faults', 'add', 'signup', 'greylist', json);
	await run('faults', 'add', 'signup', 'mailbox-full', '--times', '1', '--to', 'nobody');
	await run('send', 'signup', '--from', 'shop@tinbox.test');
	await run('send', 'signup', '--from', 'shop@tinbox.test', json);
	await run('faults', 'list', 'signup', '--json=name,stage,reply,per,times,seen,hit_count');
	await run('faults', 'list', 'signup');
	await run('faults', 'hits', 'signup', '--json=name,stage,client,envelope,reply,drop,delay_ms');
	await run('faults', 'wait', 'signup', 'greylist', '--json=name,stage,reply');
	await run('faults', 'wait', 'signup', 'greylist', '--count', '3', '--timeout', '100ms');
	await run('faults', 'clear', 'signup');

	transcript.section('Templates');
	await run('templates', 'put', 'sendgrid', 'd-4f2a', '--subject', 'Hello {{name}}', json);
	await run('templates', 'put', 'sendgrid', 'd-4f2b', '--subject', 'Hello {{#name}}');
	await run('templates', 'list', json);
	await run('templates', 'delete', 'sendgrid', 'd-4f2a');
}

/** Users, teams, keys and logins. */
export async function recordAccounts(transcript: Transcript): Promise<void> {
	const {run} = bound(transcript);
	transcript.section('The local user');
	await run('whoami', json);
	await run('whoami');
	await run('plans', json);
	await run('plans');
	await run('keys', 'create', '--name', 'CI', json);
	await run('keys', 'list', json);

	transcript.section('Users');
	await run('users', 'create', 'ann@example.com', '--name', 'Ann', '--plan', 'starter', json);
	await run('users', 'create', 'ann@example.com');
	await run('users', 'update', 'ann@example.com', '--plan', 'pro', json);
	await run('users', 'list', '--json=name,email,plan');
	const token = await transcript.read('token', ['users', 'token', 'ann@example.com', json]);

	transcript.section('Teams');
	await run('teams', 'create', 'Shop', json);
	const invite = await transcript.read('token', [
		'teams',
		'invite',
		'Shop',
		'ann@example.com',
		'--role',
		'admin',
		json,
	]);
	await run('teams', 'invite', 'Shop', 'ann@example.com');
	await transcript.run(['login', '--profile', 'ann'], {input: token});
	await run('--profile', 'ann', 'whoami', json);
	await transcript.run(['--profile', 'ann', 'teams', 'accept', '-', json], {input: invite});
	await run('teams', 'list', json);
	await run('teams', 'list');
	await run('teams', 'show', 'Shop', json);
	await run('teams', 'show', 'Shop');
	await run('teams', 'rename', 'Shop', 'Store', json);
	await run('teams', 'remove', 'Store', 'ann@example.com');
	await run('teams', 'delete', 'Store');
	await run('--profile', 'ann', 'logout');
	await run('users', 'delete', 'ann@example.com');
}

/** The daemon, its TLS, its store and its health. */
export async function recordOperations(transcript: Transcript, home: string): Promise<void> {
	const {run} = bound(transcript);
	transcript.section('Daemon');
	await run('daemon', 'status', json);
	await run('daemon', 'status');
	await run('daemon', 'start', json);
	await run('daemon', 'start');
	await run('daemon', 'status', '--json=url,smtp,domain,store');
	await run('daemon', 'status', '--nodes', '--json=name,state,waits,sessions');
	await run('tls', 'show', '--json=mode,names');
	await run('tls', 'show');
	await run('doctor', json);
	await run('doctor');
	await run('daemon', 'restart', '--json=url,smtp');
	await run('daemon', 'stop');
	await run('daemon', 'stop');

	transcript.section('Store and runs');
	await run('store', 'copy', '--from', path.join(home, 'data'), '--to', path.join(home, 'copy'), json);
	await run('store', 'copy', '--from', path.join(home, 'data'), '--to', path.join(home, 'copy'));
	await run('run', '--keep', path.join(home, 'kept'), '--', 'sh', '-c', 'tinbox inbox list >/dev/null 2>&1; exit 7');
	await run('run', '--', 'no-such-program');
	await run('inbox', 'list', '--home', path.join(home, 'kept'), '--json=message_count');
}

/** Command lines that fail: each prints what is wrong and what to do. */
export async function recordFailures(transcript: Transcript, home: string): Promise<void> {
	const {run} = bound(transcript);
	transcript.section('Usage');
	await run('inbx');
	await run('messages');
	await run('messages', 'wait');
	await run('message', 'wait', 'signup');
	await run('messages', 'watch', 'signup');
	await run('inbox', 'create', '--nam', 'signup');
	await run('inbox', 'create', 'signup@tinbox.test');
	await run('inbox', 'create', '--keep', 'few');
	await run('inbox', 'create', '--keep-for', 'long');
	await run('inbox', 'list', '--limit', 'x');
	await run('inbox', 'list', '--json=nme');
	await run('messages', 'wait', 'signup', '--timeout', 'soon');
	await run('kit', 'vitest');
	await run('completion', 'tcsh');
	await run('help', 'nothing');
	await run('daemon', 'start', '--smtp-port', 'x');
	await run('daemon', 'start', '--store', 'mysql://db');
	await run('daemon', 'start', '--max-messages', '0');
	await run('daemon', 'start', '--tls-cert', 'nothing');
	await transcript.run(['daemon', 'start'], {env: {TINBOX_SMTP_PORT: '99999'}});
	await run('daemon', 'start', '--api-key', 'short');
	await run('webhooks', 'create', 'ftp://app.test');

	transcript.section('No daemon, and wrong credentials');
	await transcript.run(['inbox', 'list'], {env: {TINBOX_NO_START: '1'}});
	await transcript.run(['inbox', 'list', json], {env: {TINBOX_NO_START: '1'}});
	await transcript.run(['inbox', 'list'], {
		env: {TINBOX_URL: 'http://127.0.0.1:9/v1', TINBOX_API_KEY: 'tbx_live_none'},
	});
	await run('inbox', 'create', '--address', 'signup@tinbox.test', '--name', 'signup');
	const url = JSON.parse(await transcript.run(['daemon', 'status', '--json=url']));
	await transcript.run(['inbox', 'list'], {env: {TINBOX_URL: url.url, TINBOX_API_KEY: 'tbx_live_wrong'}});
	await transcript.run(['inbox', 'list'], {env: {TINBOX_URL: url.url}});
	await run('--profile', 'nobody', 'whoami');

	transcript.section('Not found, conflicts and refusals');
	await run('messages', 'show', 'nothing');
	await run('messages', 'wait', 'signup', '--subject', '/[/');
	await run('messages', 'show', 'signup');
	await run('messages', 'show', 'signup', 'latest', json);
	await run('inbox', 'create', '--address', 'signup@tinbox.test');
	await run('inbox', 'create', '--address', 'not an address');
	await run('inbox', 'create', '--team', 'nothing');
	await run('inbox', 'create', '--fault', 'nothing');
	await run('faults', 'add', 'signup', 'nothing');
	await run('faults', 'add', 'signup', '--stage', 'rcpt', '--reply', '200 Fine');
	await run('faults', 'add', 'signup');
	await run('faults', 'clear', 'signup', 'nothing');
	await run('webhooks', 'create', 'http://169.254.169.254/');
	await run('webhooks', 'show', 'nothing');
	await run('teams', 'show', 'nothing');
	await run('users', 'create', 'not an address');
	await run('keys', 'revoke', 'nothing');
	await run('send', 'nobody@elsewhere.example');
	await run('send', 'signup', '--attach', path.join(home, 'no-such-file'));
	await run('messages', 'import', 'signup', path.join(home, 'no-such-file'));
	await run('messages', 'save', 'signup', '--output', home);
	await writeFile(path.join(home, 'folder.eml'), 'no header');
	await run('messages', 'import', 'signup', path.join(home, 'folder.eml'), '--to', 'x', json);
	await run('store', 'copy', '--from', path.join(home, 'no-such-folder'), '--to', path.join(home, 'copy'));
	await run('run', '--fault', 'nothing', '--', 'true');
	await run('sendmail', '-t');
}

function bound(transcript: Transcript) {
	return {run: async (...args: readonly string[]) => transcript.run(args)};
}
