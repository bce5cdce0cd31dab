import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {text} from 'node:stream/consumers';
import {apiClient, type Client} from '../../client/index.js';
import {login} from '../../config/kinds.js';
import {variableOf} from '../../config/settings.js';
import {keepCredentials, keepProfile, readSettingsFile, type StoredCredentials} from '../../config/settings-file.js';
import {withLock} from '../../lib/io/process-lock.js';
import {localUser} from '../../runtime/local-user.js';
import type {Paths} from '../../runtime/paths.js';
import type {DaemonState} from '../../runtime/state-file.js';
import type {Io} from '../context.js';
import {localOperator} from '../create-context.js';
import {Exit, exitCodes, usageError} from '../output/exit.js';
import {readProfile} from './profiles.js';

/** Name of API keys that the CLI creates. */
const keyName = 'tinbox CLI';

const tokenLifetime = 60;

/**
 * Creates the local user, named after the user of the operating system and on the largest plan, and an API key that is
 * stored in the settings file. Concurrent commands share one result. `refused` are credentials that the daemon rejected.
 */
export async function makeCredentials(
	{url, data_dir}: Pick<DaemonState, 'url' | 'data_dir'>,
	{settingsFile, startLock}: Pick<Paths, 'settingsFile' | 'startLock'>,
	refused?: StoredCredentials,
): Promise<StoredCredentials> {
	return withLock(startLock, async () => {
		const kept = readSettingsFile(settingsFile).credentials?.[data_dir];
		if (kept && kept.apiKey !== refused?.apiKey) {
			return kept;
		}

		const operator = localOperator({url, data_dir});
		const userId = await localUserId(operator);
		const {token} = await operator.users.createToken(userId, {expires_in: tokenLifetime});
		const {key} = await apiClient({url, token}).keys.create({name: keyName});
		const made = {userId, apiKey: key};
		await keepCredentials(settingsFile, data_dir, made);
		return made;
	});
}

async function localUserId({users}: Client): Promise<string> {
	const {name, email} = localUser();
	const known = (await users.list()).users.find(user => user.email.toLowerCase() === email.toLowerCase());
	return (known ?? (await users.create({name, email, plan: 'business'}))).id;
}

/** API key of a profile. Creates and stores one if there is none; concurrent commands share one result. */
export async function makeProfileKey(
	name: string,
	url: string,
	paths: Pick<Paths, 'settingsFile' | 'startLock'>,
): Promise<string> {
	return withLock(paths.startLock, async () => {
		const profile = readProfile(name, paths);
		if (!profile) {
			throw new Exit(exitCodes.denied, 'unauthorized', `The profile "${name}" was logged out by another command.`);
		}

		if (profile.apiKey !== undefined) {
			return profile.apiKey;
		}

		const {id, key} = await apiClient({url, token: profile.token}).keys.create({name: keyName});
		await keepProfile(paths.settingsFile, name, {...profile, apiKey: key, keyId: id});
		return key;
	});
}

/** Variables with which other programs, including the CLI, connect to a daemon. */
export function connectionEnv(
	{url, smtp, smtps, settings}: Pick<DaemonState, 'url' | 'smtp' | 'smtps' | 'settings'>,
	apiKey: string,
): Readonly<Record<string, string>> {
	const auth = login.parse(settings[variableOf('smtpAuth')] ?? '');
	return {
		TINBOX_URL: url,
		TINBOX_API_KEY: apiKey,
		SMTP_HOST: smtp.host,
		SMTP_PORT: String(smtp.port),
		...(smtps && {SMTP_TLS_PORT: String(smtps.port)}),
		...(auth && {SMTP_USER: auth.user, SMTP_PASSWORD: auth.password}),
	};
}

/** File name that stands for stdin. */
export const stdinName = '-';

/**
 * Reads a token or key from a file or stdin; on a terminal, input is hidden. Secrets are not taken from flags, because other
 * users can read those in the process list. `what` names the secret in messages.
 */
export async function readSecret(io: Io, what: string, file = stdinName): Promise<string> {
	const read = file === stdinName ? await fromStdin(io, what) : await readFile(file, 'utf8');
	const secret = read.trim();
	if (!/^[\x21-\x7e]+$/.test(secret)) {
		const place = file === stdinName ? 'on stdin' : `in ${file}`;
		throw usageError(`Expected exactly one ${what} ${place}.`);
	}

	return secret;
}

async function fromStdin(io: Io, what: string): Promise<string> {
	return io.stdin.isTTY ? ask(io, what) : text(io.stdin);
}

async function ask({stdin, stderr}: Io, what: string): Promise<string> {
	const [{createInterface}, {Writable}] = await Promise.all([import('node:readline'), import('node:stream')]);
	const output = new Writable({write: (_chunk, _encoding, done) => done()});
	const terminal = createInterface({input: stdin, output, terminal: true});
	terminal.once('SIGINT', () => {
		terminal.close();
		process.kill(process.pid, 'SIGINT');
	});
	stderr.write(`Paste the ${what} (input is hidden) and press Enter: `);
	try {
		const [line = ''] = await Promise.race([once(terminal, 'line'), once(terminal, 'close')]);
		return line;
	} finally {
		terminal.close();
		stderr.write('\n');
	}
}
