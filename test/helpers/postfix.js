import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import net from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';

/** How long it may take until it listens. */
const patienceMs = 20_000;

/** What it runs, but for the listener; nothing in a root of its own. */
const services = `
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 1 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;

/**
 * Why Postfix cannot be had here; undefined when it can. It gives up the rights of root for those of its own user.
 * @returns {string | undefined}
 */
export function whyNoPostfix() {
	if (process.getuid?.() !== 0) {
		return 'Postfix is started by root alone';
	}

	try {
		execFileSync('postconf', ['-d', 'mail_version'], {stdio: 'pipe'});
		execFileSync('id', ['-u', 'postfix'], {stdio: 'pipe'});
	} catch {
		return 'Postfix is not installed';
	}

	return undefined;
}

/**
 * A Postfix with files and ports of its own, beside whatever else runs: it takes any mail from this machine and relays it,
 * in the clear, trying again each second.
 * @param {{host: string, port: number}} next where all mail goes
 */
export async function startPostfix(next) {
	const folder = mkdtempSync(path.join(tmpdir(), 'tinbox-postfix-'));
	const [config, queue, data, log] = ['config', 'queue', 'data', 'maillog'].map(name => path.join(folder, name));
	// Its own user is to get at the queue.
	chmodSync(folder, 0o755);
	for (const made of [config, queue, data]) {
		mkdirSync(made ?? '');
	}

	const ask = (/** @type {string} */ flag) => Number(execFileSync('id', [flag, 'postfix'], {encoding: 'utf8'}));
	chownSync(data ?? '', ask('-u'), ask('-g'));
	const port = await freePort();
	const settings = {
		compatibility_level: '3.6',
		queue_directory: queue,
		data_directory: data,
		maillog_file: log,
		maillog_file_prefixes: folder,
		myhostname: 'postfix.test',
		mydestination: '',
		alias_maps: '',
		alias_database: '',
		inet_interfaces: '127.0.0.1',
		inet_protocols: 'ipv4',
		mynetworks: '127.0.0.0/8',
		smtpd_relay_restrictions: 'permit_mynetworks, reject',
		smtpd_tls_security_level: 'none',
		smtp_tls_security_level: 'none',
		smtp_dns_support_level: 'disabled',
		relayhost: `[${next.host}]:${next.port}`,
		minimal_backoff_time: '1s',
		maximal_backoff_time: '1s',
		queue_run_delay: '1s',
		transport_retry_time: '1s',
	};
	const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
	writeFileSync(path.join(config ?? '', 'main.cf'), lines.join(''));
	writeFileSync(path.join(config ?? '', 'master.cf'), `127.0.0.1:${port} inet n - n - - smtpd${services}`);
	const child = spawn('postfix', ['-c', config ?? '', 'start-fg'], {stdio: ['ignore', 'pipe', 'pipe']});
	let said = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', text => {
			said += text;
		});
	}

	const exited = once(child, 'exit');
	const told = () => said + (existsSync(log ?? '') ? readFileSync(log ?? '', 'utf8') : '');
	const stop = async () => {
		if (child.exitCode === null) {
			try {
				execFileSync('postfix', ['-c', config ?? '', 'stop'], {stdio: 'ignore', timeout: 30_000});
			} catch {
				child.kill();
			}
		}

		await exited;
		rmSync(folder, {recursive: true, force: true});
	};
	const deadline = Date.now() + patienceMs;
	while (!(await listens(port))) {
		if (child.exitCode !== null || Date.now() > deadline) {
			const why = told();
			await stop();
			throw new Error(`Postfix did not start: ${why}`);
		}

		await sleep(50);
	}

	return {host: '127.0.0.1', port, log: told, stop};
}

async function freePort() {
	const server = net.createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	server.close();
	return typeof address === 'object' && address ? address.port : 0;
}

/** @param {number} port */
async function listens(port) {
	const socket = net.connect({host: '127.0.0.1', port});
	try {
		await once(socket, 'connect');
		return true;
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}
