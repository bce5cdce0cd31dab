import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

const bin = fileURLToPath(new URL('../../../bin/tinbox.js', import.meta.url));

/**
 * Stops the daemon and removes its files when its input closes, however its owner ends. It runs in another session, so that
 * signals to the owner's process group do not reach it.
 */
const keeper = 'cat >/dev/null; kill "$1" 2>/dev/null; while kill -0 "$1" 2>/dev/null; do sleep 0.1; done; rm -rf "$2"';

/** Time for which checked credentials are assumed to be valid. */
const validMs = 200;

/** Credentials that the suite sends and the relay replaces by valid ones. */
export const placeholders = {key: 'suite-key', token: 'suite-token', operator: 'suite-operator', send: 'suite-send'};

/** Starts the built daemon with a user, who is created again if the suite deletes it. */
export async function startDaemon() {
	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-api-'));
	const ports = {TINBOX_HTTP_PORT: '0', TINBOX_SMTP_PORT: '0', TINBOX_SMTPS_PORT: '0'};
	const child = spawn(process.execPath, [bin, 'daemon', 'run', '--json'], {
		env: {...process.env, ...ports, TINBOX_HOME: home},
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const exited = once(child, 'exit');
	const keeping = spawn('sh', ['-c', keeper, 'sh', String(child.pid), home], {
		stdio: ['pipe', 'ignore', 'ignore'],
		detached: true,
	});
	const [line] = await once(createInterface(child.stdout), 'line');
	const {url, data_dir: dataDir} = JSON.parse(line);
	const operator = `Bearer ${(await readFile(path.join(dataDir, 'operator-token'), 'utf8')).trim()}`;
	let user = await newUser(url, operator);
	let checking = Promise.resolve();
	let checkedAt = 0;
	const check = async () => {
		const headers = {'X-API-Key': user.key};
		const answer = await fetch(`${url}/users/me`, {headers});
		user = answer.status === 200 ? user : await newUser(url, operator);
	};
	return {
		url,
		/** Credentials of the first user. */
		credentials: {...user, operator},
		/**
		 * The valid credential in place of a placeholder.
		 * @param {string} placeholder
		 */
		async credentialsFor(placeholder) {
			if (Date.now() - checkedAt > validMs) {
				checkedAt = Date.now();
				checking = check();
			}

			await checking;
			const {key, token} = user;
			return new Map([
				[placeholders.key, key],
				[`Bearer ${placeholders.token}`, `Bearer ${token}`],
				[`Bearer ${placeholders.operator}`, operator],
				[`Bearer ${placeholders.send}`, `Bearer ${key}`],
			]).get(placeholder);
		},
		async stop() {
			const gone = once(keeping, 'exit');
			keeping.stdin.end();
			await exited;
			await gone;
		},
	};
}

/**
 * @param {string} url
 * @param {string} operator
 */
async function newUser(url, operator) {
	const email = `suite-${process.hrtime.bigint()}@localhost`;
	const {id} = await post(`${url}/users`, operator, {name: 'suite', email, plan: 'business'});
	const {token} = await post(`${url}/users/${id}/tokens`, operator, {});
	const {key} = await post(`${url}/inboxes/keys`, `Bearer ${token}`, {});
	return {key, token};
}

/**
 * @param {string} url
 * @param {string} authorization
 * @param {object} body
 * @returns {Promise<any>}
 */
async function post(url, authorization, body) {
	const headers = {Authorization: authorization, 'Content-Type': 'application/json'};
	return (await fetch(url, {method: 'POST', headers, body: JSON.stringify(body)})).json();
}
