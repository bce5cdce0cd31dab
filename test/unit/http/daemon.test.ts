import {describe, expect, test} from 'vitest';
import {sendRaw} from '../../helpers/raw-http.js';
import {operatorToken} from '../../helpers/resources.js';
import {openTinbox} from '../../helpers/tinbox.js';

const smtpAuth = {user: 'ann', password: 'hunter2'};

describe('GET /health', () => {
	test('lists the SMTP listener only for valid credentials of any kind', async () => {
		const tinbox = await openTinbox();
		const {user, key} = await tinbox.user('ann');
		const {token} = await tinbox.services.credentials.issueToken(user.id, 60);
		const health = async (headers: Record<string, string>) => {
			const response = await fetch(`${tinbox.url}/health`, {headers});
			expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([200, null]);
			return response.json();
		};
		const open = {status: 'ok', version: expect.any(String)};
		for (const right of [
			{'X-API-Key': key},
			{Authorization: `Bearer ${token}`},
			{Authorization: `Bearer ${operatorToken}`},
		]) {
			expect(await health(right)).toEqual({...open, smtp: tinbox.smtp});
		}

		for (const wrong of [
			{},
			{'X-API-Key': `${key}x`},
			{'X-API-Key': token},
			{Authorization: 'Bearer x'},
			{Authorization: key},
			{Authorization: `Bearer ${key}`},
		]) {
			expect(await health(wrong)).toEqual(open);
		}
	});
});

describe('GET /daemon', () => {
	test('returns the SMTP settings and login to the holder of an API key', async () => {
		const tinbox = await openTinbox({settings: {smtpAuth, domain: 'mail.test'}});
		const {key} = await tinbox.user('ann');
		const response = await tinbox.request('GET', '/daemon', {key});
		expect(await response.json()).toEqual({
			version: expect.any(String),
			domain: 'mail.test',
			smtp: {...tinbox.smtp, auth_mode: 'login', auth: smtpAuth, auth_needs_tls: false},
			tls: {mode: 'off', smtps: null, https_url: null, ca: null},
		});
	});

	test('hides the SMTP login from tokens', async () => {
		const tinbox = await openTinbox({settings: {smtpAuth}});
		const {user} = await tinbox.user('ann');
		const {token} = await tinbox.services.credentials.issueToken(user.id, 60);
		for (const bearer of [token, operatorToken]) {
			const headers = {Authorization: `Bearer ${bearer}`};
			for (const path of ['/daemon', '/health']) {
				expect(await (await fetch(tinbox.url + path, {headers})).text()).not.toContain('hunter2');
			}
		}
	});

	test('returns the host that the caller used if the daemon listens on all addresses', async () => {
		const tinbox = await openTinbox({host: '0.0.0.0', names: ['mail.example.com']});
		const {key} = await tinbox.user('ann');
		const smtpFor = async (name: string) => {
			const lines = ['GET /v1/daemon HTTP/1.1', `Host: ${name}:8025`, `X-API-Key: ${key}`, 'Connection: close', '', ''];
			return JSON.parse((await sendRaw(tinbox.port, lines.join('\r\n'))).body).smtp;
		};
		for (const name of ['localhost', '192.0.2.7', 'mail.example.com']) {
			expect(await smtpFor(name)).toMatchObject({host: name, port: tinbox.smtp.port, auth: null});
		}

		expect(await smtpFor('[2001:db8::1]')).toMatchObject({host: '2001:db8::1', port: tinbox.smtp.port, auth: null});
		expect(tinbox.smtp.host).toBe('127.0.0.1');
	});
});
