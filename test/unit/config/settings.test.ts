import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
	type DaemonSettings,
	daemonSettings,
	defaultSettings,
	flagOf,
	resolveSettings,
	settingNames,
	settingsToEnv,
	settingsToKeep,
	smtpsPortOf,
	variableOf,
} from '../../../src/config/settings.js';
import type {SettingsFile} from '../../../src/config/settings-file.js';
import {mcpExtras} from '../../../src/contract/constants.js';

const pairs = fc.record({perUser: fc.integer({min: 1, max: 2 ** 30}), total: fc.integer({min: 1, max: 2 ** 30})});
const defaults = defaultSettings('/data');
const silent = {flags: {}, env: {}, file: {}, defaults};

describe('daemon settings', () => {
	test('use the defaults if flags, environment and settings file are empty', () => {
		expect(resolveSettings(silent)).toEqual(defaults);
	});

	test('prefer flags to environment variables, and environment variables to the settings file', () => {
		const file = {daemon: {smtpPort: 1, httpPort: 2, domain: 'file.test'}};
		const env = {TINBOX_SMTP_PORT: '10', TINBOX_HTTP_PORT: '20'};
		expect(resolveSettings({...silent, file, env, flags: {smtpPort: '100'}})).toMatchObject({
			smtpPort: 100,
			httpPort: 20,
			domain: 'file.test',
		});
	});

	test('accept flag names and property names in the settings file', () => {
		const file = {daemon: {'smtp-port': 1, httpPort: '2', 'webhook-retry-delay': '5s', 'catch-all': true}};
		expect(resolveSettings({...silent, file})).toMatchObject({
			smtpPort: 1,
			httpPort: 2,
			webhookRetryDelayMs: 5000,
			catchAll: true,
		});
	});

	test.each<[string, SettingsFile & Record<string, unknown>, RegExp]>([
		['an unknown setting', {daemon: {'smtp-prot': 1}}, /^Unknown setting "daemon\.smtp-prot" in the settings file\./],
		[
			'an unknown section',
			{deamon: {}},
			/^Unknown entry "deamon" in the settings file\. Daemon settings belong in "daemon"\.$/,
		],
		[
			'a setting outside of "daemon"',
			{'smtp-port': 1},
			/^"smtp-port" is in the wrong place in the settings file\. Move it into "daemon"\.$/,
		],
		['an invalid value', {daemon: {'smtp-port': 'x'}}, /^"daemon\.smtp-port" in the settings file must be a port/],
		['a list as "daemon"', {daemon: [] as never}, /^"daemon" in the settings file must be an object/],
		['null as "daemon"', {daemon: null as never}, /^"daemon" in the settings file must be an object/],
		[
			'both spellings of a setting',
			{daemon: {'catch-all': true, catchAll: false}},
			/^"daemon\.catch-all" and "daemon\.catchAll" in the settings file are the same setting\./,
		],
	])('reject %s in the settings file by name', (_, file, message) => {
		expect(() => resolveSettings({...silent, file})).toThrow(message);
	});

	test('ignore an empty environment variable', () => {
		expect(resolveSettings({...silent, env: {TINBOX_SMTP_PORT: ''}})).toEqual(defaults);
	});

	test('each have a flag and an environment variable with the same name', () => {
		expect(settingNames.map(name => `${flagOf(name)} ${variableOf(name)}`)).toEqual([
			'--smtp-port TINBOX_SMTP_PORT',
			'--http-port TINBOX_HTTP_PORT',
			'--https-port TINBOX_HTTPS_PORT',
			'--tls TINBOX_TLS',
			'--smtps-port TINBOX_SMTPS_PORT',
			'--host TINBOX_HOST',
			'--host-names TINBOX_HOST_NAMES',
			'--domain TINBOX_DOMAIN',
			'--tls-cert TINBOX_TLS_CERT',
			'--tls-client-ca TINBOX_TLS_CLIENT_CA',
			'--data-dir TINBOX_DATA_DIR',
			'--store TINBOX_STORE',
			'--store-key-file TINBOX_STORE_KEY_FILE',
			'--webhook-retry-delay TINBOX_WEBHOOK_RETRY_DELAY',
			'--keep TINBOX_KEEP',
			'--keep-for TINBOX_KEEP_FOR',
			'--webhook-keep TINBOX_WEBHOOK_KEEP',
			'--webhook-keep-for TINBOX_WEBHOOK_KEEP_FOR',
			'--webhook-allow TINBOX_WEBHOOK_ALLOW',
			'--max-message-size TINBOX_MAX_MESSAGE_SIZE',
			'--max-connections TINBOX_MAX_CONNECTIONS',
			'--max-http-connections TINBOX_MAX_HTTP_CONNECTIONS',
			'--max-pipelined TINBOX_MAX_PIPELINED',
			'--max-inboxes TINBOX_MAX_INBOXES',
			'--max-endpoints TINBOX_MAX_ENDPOINTS',
			'--max-teams TINBOX_MAX_TEAMS',
			'--max-members TINBOX_MAX_MEMBERS',
			'--max-messages TINBOX_MAX_MESSAGES',
			'--max-stored TINBOX_MAX_STORED',
			'--max-deliveries TINBOX_MAX_DELIVERIES',
			'--max-polls TINBOX_MAX_POLLS',
			'--max-streams TINBOX_MAX_STREAMS',
			'--smtp-auth TINBOX_SMTP_AUTH',
			'--smtp-oauth TINBOX_SMTP_OAUTH',
			'--auth-needs-tls TINBOX_AUTH_NEEDS_TLS',
			'--send-auth TINBOX_SEND_AUTH',
			'--send-verified-domains TINBOX_SEND_VERIFIED_DOMAINS',
			'--mcp-allow TINBOX_MCP_ALLOW',
			'--no-fault-addresses TINBOX_NO_FAULT_ADDRESSES',
			'--api-key TINBOX_API_KEY',
			'--catch-all TINBOX_CATCH_ALL',
		]);
	});

	test.each<[keyof DaemonSettings, string, unknown]>([
		['smtpPort', '0', 0],
		['tls', 'require', 'require'],
		['smtpsPort', '0', 0],
		['smtpsPort', 'auto', null],
		['host', '::1', '::1'],
		['host', '[::1]', '::1'],
		['host', '0:0:0:0:0:0:0:0', '::'],
		['host', 'my_host-1.test', 'my_host-1.test'],
		['hostNames', 'mail, tinbox.local', ['mail', 'tinbox.local']],
		['hostNames', 'none', []],
		['domain', 'Mail.Test', 'mail.test'],
		['webhookRetryDelayMs', '500ms', 500],
		['webhookRetryDelayMs', '2', 2000],
		['keep', '100', 100],
		['keep', 'all', null],
		['keepForMs', '7d', 604_800_000],
		['keepForMs', 'forever', null],
		['webhookKeep', '50', 50],
		['webhookKeepForMs', '7d', 604_800_000],
		['webhookAllow', '10.1.0.0/16,::1', ['10.1.0.0/16', '::1']],
		['maxMessageSize', '512K', 524_288],
		['maxMessageSize', '1MiB', 1_048_576],
		['maxInboxes', '10/20', {perUser: 10, total: 20}],
		['maxInboxes', '10', {perUser: 10, total: 10}],
		['maxStored', '1K/1M', {perUser: 1024, total: 1_048_576}],
		['httpsPort', '0', 0],
		['httpsPort', 'none', null],
		['tlsCert', 'none', []],
		['tlsCert', 'a.test=/c,/k', [{name: 'a.test', certificate: '/c', key: '/k'}]],
		[
			'tlsCert',
			'a=/c=1,/k, *.b.test=/d,/l',
			[
				{name: 'a', certificate: '/c=1', key: '/k'},
				{name: '*.b.test', certificate: '/d', key: '/l'},
			],
		],
		['tlsClientCa', '/ca.pem', '/ca.pem'],
		['tlsClientCa', 'none', null],
		['smtpAuth', 'ann:a:b', {user: 'ann', password: 'a:b'}],
		['smtpAuth', 'none', 'any'],
		['smtpAuth', 'any', 'any'],
		['smtpAuth', 'inbox', 'inbox'],
		['smtpOauth', 'expired', 'expired'],
		['sendAuth', 'inbox', 'inbox'],
		['sendVerifiedDomains', 'shop.example, b.test', ['shop.example', 'b.test']],
		['sendVerifiedDomains', 'none', []],
		['apiKey', 'tbx_live_0123456789abcdef', 'tbx_live_0123456789abcdef'],
		['apiKey', 'none', null],
		['catchAll', 'true', true],
		['catchAll', '0', false],
	])('parse %s from "%s"', (name, text, value) => {
		expect(resolveSettings({...silent, flags: {[name]: text}})[name]).toEqual(value);
	});

	test.each<[keyof DaemonSettings, string]>([
		['smtpPort', '65536'],
		['tls', 'on'],
		['smtpsPort', 'none'],
		['smtpPort', '-1'],
		['smtpPort', '1e3'],
		['host', 'a b'],
		['host', '127.0.0.1:1025'],
		['host', '[localhost]'],
		['domain', '-x'],
		['dataDir', ''],
		['webhookRetryDelayMs', 'soon'],
		['keep', '0'],
		['keep', 'none'],
		['keepForMs', '0s'],
		['keepForMs', 'soon'],
		['keepForMs', '3651d'],
		['webhookKeepForMs', '9999999999d'],
		['webhookKeep', '0'],
		['webhookAllow', '10.1.0.0/33'],
		['webhookAllow', 'localhost'],
		['httpsPort', 'x'],
		['tlsCert', 'a.test'],
		['tlsCert', 'a.test=/c'],
		['tlsCert', '/c,/k'],
		['tlsCert', 'a.test=,/k'],
		['tlsCert', 'a.test=/c,/k,'],
		['tlsCert', '*=/c,/k'],
		['tlsCert', 'a.test=/c,/k,b.test=/d'],
		['tlsClientCa', ''],
		['maxMessageSize', '0'],
		['maxConnections', '0'],
		['maxInboxes', '10/'],
		['maxInboxes', '1/2/3'],
		['maxStored', '1G/none'],
		['catchAll', 'constructor'],
	])('reject %s "%s" and name the accepted values', (name, text) => {
		expect(() => resolveSettings({...silent, flags: {[name]: text}})).toThrow(
			`${flagOf(name)} must be ${daemonSettings[name].kind.expects}, got "${text}".`,
		);
	});

	test('name the environment variable or file entry with an invalid value', () => {
		expect(() => resolveSettings({...silent, env: {TINBOX_HTTP_PORT: 'x'}})).toThrow(
			/^TINBOX_HTTP_PORT must be a port/,
		);
		expect(() => resolveSettings({...silent, file: {daemon: {httpPort: 'x'}}})).toThrow(
			/^"daemon.httpPort" in the settings file must be a port/,
		);
	});

	test.each([
		[{}, 1465],
		[{smtpPort: 2525}, 2965],
		[{smtpPort: 0}, 0],
		[{smtpPort: 65_500}, 0],
		[{smtpPort: 0, smtpsPort: 465}, 465],
		[{smtpsPort: 0}, 0],
		[{tls: 'off', smtpsPort: 465}, undefined],
	] as const)('with %j use SMTPS port %s', (own, port) => {
		expect(smtpsPortOf({...defaults, ...own})).toBe(port);
	});

	test('survive a round trip through environment variables', () => {
		const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,20}[a-z0-9]$/);
		const text = fc.stringMatching(/^[!-9;-~]{1,20}$/);
		const file = fc.stringMatching(/^[^,\s./][^,./]{0,20}$/).map(part => `/${part.trim()}`);
		const settings: fc.Arbitrary<DaemonSettings> = fc.record({
			host: fc.constantFrom('127.0.0.1', '::', 'localhost'),
			smtpPort: fc.integer({min: 0, max: 65_535}),
			httpPort: fc.integer({min: 0, max: 65_535}),
			httpsPort: fc.option(fc.integer({min: 0, max: 65_535})),
			tlsCert: fc.array(
				fc.record({
					name: fc.oneof(
						name,
						name.map(of => `*.${of}`),
					),
					certificate: file,
					key: file,
				}),
			),
			tlsClientCa: fc.option(file),
			tls: fc.constantFrom('off', 'offer', 'require'),
			smtpsPort: fc.option(fc.integer({min: 0, max: 65_535})),
			hostNames: fc.array(name.filter(text => text !== 'none')),
			domain: name,
			dataDir: text.map(part => `/${part.replaceAll('/', '').replaceAll('.', '')}`),
			store: fc.option(text.map(rest => `postgres://${rest}`)),
			storeKeyFile: fc.option(file),
			webhookRetryDelayMs: fc.nat(),
			keep: fc.option(fc.integer({min: 1})),
			keepForMs: fc.option(fc.integer({min: 1})),
			webhookKeep: fc.integer({min: 1}),
			webhookKeepForMs: fc.nat(),
			webhookAllow: fc.array(fc.ipV4()),
			maxMessageSize: fc.integer({min: 1, max: 2 ** 40}),
			maxConnections: fc.integer({min: 1, max: 2 ** 30}),
			maxHttpConnections: fc.integer({min: 1, max: 2 ** 30}),
			maxPipelined: fc.integer({min: 1, max: 2 ** 30}),
			maxInboxes: pairs,
			maxEndpoints: pairs,
			maxTeams: pairs,
			maxMembers: fc.integer({min: 1, max: 2 ** 30}),
			maxMessages: pairs,
			maxStored: pairs,
			maxDeliveries: pairs,
			maxPolls: pairs,
			maxStreams: pairs,
			smtpAuth: fc.oneof(fc.constantFrom('any', 'inbox'), fc.record({user: text, password: fc.string()})),
			smtpOauth: fc.constantFrom('accept', 'reject', 'expired'),
			authNeedsTls: fc.boolean(),
			sendAuth: fc.constantFrom('any', 'inbox'),
			sendVerifiedDomains: fc.array(fc.constantFrom('a.test', 'b.example')),
			mcpAllow: fc.subarray([...mcpExtras]),
			noFaultAddresses: fc.boolean(),
			apiKey: fc.option(fc.stringMatching(/^tbx_live_[\w-]{16,180}$/)),
			catchAll: fc.boolean(),
		});
		fc.assert(
			fc.property(settings, chosen => {
				expect(resolveSettings({...silent, env: settingsToEnv(chosen)})).toEqual(chosen);
			}),
		);
	});
});

test('the database password is neither saved nor repeated in an error', () => {
	const settings = resolveSettings({...silent, env: {TINBOX_STORE: 'postgresql://ann:secret@one,two/mail'}});
	expect(settings.store).toBe('postgresql://ann:secret@one,two/mail');
	expect(settingsToKeep(settings)['TINBOX_STORE']).toBe('postgresql://ann@one,two/mail');
	expect(settingsToKeep(defaults)['TINBOX_STORE']).toBe('none');
	expect(() => resolveSettings({...silent, flags: {store: 'mysql://ann:secret@one'}})).toThrow(
		/^--store must be the URL of a PostgreSQL database such as [^ ]*, or "none"\.$/,
	);
});

test('an invalid SMTP login is not repeated in the error', () => {
	const read = (text: string) => resolveSettings({...silent, flags: {smtpAuth: text}});
	expect(() => read('hunter2')).toThrow(/^--smtp-auth must be "any", "inbox" or user:password\.$/);
});
