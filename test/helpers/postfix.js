import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import net from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';

/** Timeout of the start. */
const startTimeoutMs = 20_000;

/** Services of master.cf without the listener; none of them uses chroot. */
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
 * Reason why Postfix is not available; undefined if it is. It must be started by root and then drops privileges.
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
 * Starts a separate Postfix in a temporary folder. It accepts mail from this machine and relays it without TLS, with a
 * retry every second.
 * @param {{host: string, port: number}} next destination of all mail
 */
export async function startPostfix(next) {
	const folder = mkdtempSync(path.join(tmpdir(), 'tinbox-postfix-'));
	const [config, queue, data, log] = ['config', 'queue', 'data', 'maillog'].map(name => path.join(folder, name));
	// The user of Postfix needs access to the queue.
	chmodSync(folder, 0o755);
	for (const subfolder of [config, queue, data]) {
		mkdirSync(subfolder ?? '');
	}

	const idOf = (/** @type {string} */ flag) => Number(execFileSync('id', [flag, 'postfix'], {encoding: 'utf8'}));
	chownSync(data ?? '', idOf('-u'), idOf('-g'));
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
	let stdio = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', text => {
			stdio += text;
		});
	}

	const exited = once(child, 'exit');
	const output = () => stdio + (existsSync(log ?? '') ? readFileSync(log ?? '', 'utf8') : '');
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
	const deadline = Date.now() + startTimeoutMs;
	while (!(await listens(port))) {
		if (child.exitCode !== null || Date.now() > deadline) {
			const why = output();
			await stop();
			throw new Error(`Postfix did not start: ${why}`);
		}

		await sleep(50);
	}

	return {host: '127.0.0.1', port, log: output, stop};
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
