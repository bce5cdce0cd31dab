/**
 * `node test/slow/crash/concurrent-runs.js [rounds]`: runs eight `tinbox run` concurrently, each of which waits for a mail to
 * the same address. Fails if one sees mail of another, or if a process, a port or a file remains.
 */
import assert from 'node:assert/strict';
import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import net from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';

const bin = fileURLToPath(new URL('../../../bin/tinbox.js', import.meta.url));
const atOnce = 8;
const rounds = Number(process.argv[2] ?? 20);

const script = `
tinbox() { '${process.execPath}' '${bin}' "$@"; }
set -e
echo "$TINBOX_URL $SMTP_PORT"
address=$(tinbox inbox create --address same@tinbox.test)
tinbox messages wait "$address" --json=subject --timeout 30s > wait-$1 &
tinbox send "$address" --subject "mail of $1" 2>/dev/null
wait $!
cat wait-$1
tinbox messages list "$address" --json=subject
rm wait-$1`;

const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-runs-'));
try {
	for (let round = 1; round <= rounds; round++) {
		const names = Array.from({length: atOnce}, (_, index) => `${round}-${index}`);
		const places = await Promise.all(names.map(runOne));
		assert.deepEqual(await readdir(folder), [], 'no files remain');
		assert.deepEqual(await processesOf(folder), [], 'no processes remain');
		assert.deepEqual(
			await Promise.all(places.flat().map(isListening)),
			places.flat().map(() => false),
			'no ports are open',
		);
		console.log(`round ${round}: ${atOnce} runs were isolated and left nothing`);
	}
} finally {
	await rm(folder, {recursive: true, force: true});
}

/**
 * @param {string} name
 * @returns {Promise<number[]>} ports of the run
 */
async function runOne(name) {
	const env = {PATH: process.env['PATH'] ?? '', TMPDIR: folder};
	const args = [bin, 'run', '--', 'bash', '-c', script, 'bash', name];
	const {stdout, stderr} = await execa(process.execPath, args, {env, extendEnv: false, cwd: folder, stdin: 'ignore'});
	const [place = '', ...lines] = stdout.split('\n');
	const [url = '', smtpPort] = place.split(' ');
	const mail = JSON.stringify({subject: `mail of ${name}`});
	assert.deepEqual({lines, stderr}, {lines: [mail, `[${mail}]`], stderr: ''});
	return [Number(new URL(url).port), Number(smtpPort)];
}

/**
 * Processes whose TMPDIR is this folder; only on systems with /proc.
 * @param {string} temporary
 */
async function processesOf(temporary) {
	const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name));
	const environments = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
	return pids.filter((_, index) => environments[index]?.split('\0').includes(`TMPDIR=${temporary}`));
}

/** @param {number} port */
function isListening(port) {
	return new Promise(resolve => {
		const socket = net.connect(port, '127.0.0.1');
		socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
		socket.on('connect', () => socket.destroy());
	});
}
