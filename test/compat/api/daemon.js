import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

const bin = fileURLToPath(new URL('../../../bin/tinbox.js', import.meta.url));

/**
 * Stops the daemon and removes its files once the pipe to it is closed, which it is however its owner ended. In a session of its
 * own it is not hit by what ends that.
 */
const keeper = 'cat >/dev/null; kill "$1" 2>/dev/null; while kill -0 "$1" 2>/dev/null; do sleep 0.1; done; rm -rf "$2"';

/** How long credentials are taken to be good without a look. */
const trustMs = 200;

/** What the suite shows, in place of which the relay shows what is good. */
export const shown = {key: 'suite-key', token: 'suite-token', operator: 'suite-operator', send: 'suite-send'};

/** A daemon of the built program, with a user who is always there. */
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
	let looking = Promise.resolve();
	let lookedAt = 0;
	const look = async () => {
		const headers = {'X-API-Key': user.key};
		const answer = await fetch(`${url}/users/me`, {headers});
		user = answer.status === 200 ? user : await newUser(url, operator);
	};
	return {
		url,
		/** Of the first user. */
		credentials: {...user, operator},
		/** @param {string} said */
		async credentialsFor(said) {
			if (Date.now() - lookedAt > trustMs) {
				lookedAt = Date.now();
				looking = look();
			}

			await looking;
			const {key, token} = user;
			return new Map([
				[shown.key, key],
				[`Bearer ${shown.token}`, `Bearer ${token}`],
				[`Bearer ${shown.operator}`, operator],
				[`Bearer ${shown.send}`, `Bearer ${key}`],
			]).get(said);
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
