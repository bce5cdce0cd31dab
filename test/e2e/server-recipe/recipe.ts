import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {readFile, writeFile} from 'node:fs/promises';
import type {IncomingMessage} from 'node:http';
import {request} from 'node:https';
import net, {type AddressInfo} from 'node:net';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {execa} from 'execa';
import {onTestFinished, vi} from 'vitest';
import {ownEnv} from '../../helpers/cli.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {tinboxOnPath} from '../../helpers/tinbox-on-path.js';
import {root} from '../docs/blocks.js';

export const folder = path.join(root, 'docs/server');

export function fileOf(name: string): string {
	return readFileSync(path.join(folder, name), 'utf8');
}

export function variablesIn(name: string): Record<string, string> {
	return Object.fromEntries(
		[...fileOf(name).matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]),
	);
}

/** Replaces the database hosts of the recipe by the database of the test. */
export function atDatabase(text: string, url: string): string {
	const {port} = new URL(url);
	return text
		.replaceAll('db1.internal:5432,db2.internal:5432', `127.0.0.1:${port},127.0.0.1:${port}`)
		.replaceAll('sslmode=verify-full', 'sslmode=disable')
		.replaceAll('//tinbox@db1.internal/', `//tinbox@127.0.0.1:${port}/`)
		.replaceAll('--host db1.internal', `--host 127.0.0.1 --port ${port}`);
}

export type RecipeNode = {
	readonly smtpPort: number;
	readonly httpPort: number;
	readonly operatorToken: string;
	stop(): Promise<void>;
};

/** Runs the command of the systemd unit with its environment, but with a temporary home and free ports. */
export async function startRecipeNode(databaseUrl: string, keyFile: string): Promise<RecipeNode> {
	const home = await tempDir();
	const variables = variablesIn('node.env');
	const [, command = ''] = /^ExecStart=(.*)$/m.exec(fileOf('tinbox.service')) ?? [];
	const [program = '', ...args] = command.split(' ');
	const env = await tinboxOnPath(home, {
		...ownEnv(home),
		...variables,
		TINBOX_STORE: atDatabase(variables['TINBOX_STORE'] ?? '', databaseUrl),
		TINBOX_STORE_KEY_FILE: keyFile,
		TINBOX_SMTPS_PORT: '0',
	});
	const node = execa(program, [...args, '--json'], {env, extendEnv: false, reject: false});
	const stop = async () => {
		node.kill();
		await node;
	};
	onTestFinished(stop);
	const line = await Promise.race([once(createInterface(node.stdout), 'line'), node.then(({stderr}) => stderr)]);
	const {url, smtp, data_dir: data} = JSON.parse(String(line));
	return {
		smtpPort: smtp.port,
		httpPort: Number(new URL(url).port),
		operatorToken: (await readFile(path.join(data, 'operator-token'), 'utf8')).trim(),
		stop,
	};
}

/** Starts HAProxy with the configuration of the recipe, on free ports. */
export async function startBalancer(nodes: readonly RecipeNode[]) {
	const home = await tempDir();
	const certificate = path.join(home, 'mail.example.com.pem');
	execFileSync('openssl', [
		...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
		...['-subj', '/CN=mail.example.com', '-addext', 'subjectAltName=DNS:mail.example.com'],
		...['-keyout', certificate, '-out', `${certificate}.crt`],
	]);
	const ca = readFileSync(`${certificate}.crt`, 'utf8');
	await writeFile(certificate, readFileSync(certificate, 'utf8') + ca);
	const [mail, mailOverTls, api] = [await freePort(), await freePort(), await freePort()];
	const config = fileOf('haproxy.cfg')
		.replace('maxconn 8000', 'maxconn 200')
		.replace('bind :1025', `bind 127.0.0.1:${mail}`)
		.replace('bind :1465', `bind 127.0.0.1:${mailOverTls}`)
		.replace('bind :443', `bind 127.0.0.1:${api}`)
		.replace('/etc/haproxy/mail.example.com.pem', certificate);
	const file = path.join(home, 'haproxy.cfg');
	await writeFile(
		file,
		nodes.reduce(
			(lines, {smtpPort, httpPort}, index) =>
				lines
					.replaceAll(`node${index + 1}:1025`, `127.0.0.1:${smtpPort} port ${httpPort}`)
					.replaceAll(`node${index + 1}:1465`, `127.0.0.1:${smtpPort} port ${httpPort}`)
					.replaceAll(`node${index + 1}:8025`, `127.0.0.1:${httpPort}`),
			config,
		),
	);
	execFileSync('haproxy', ['-c', '-q', '-f', file]);
	const balancer = execa('haproxy', ['-db', '-f', file], {reject: false});
	void balancer.then(({stderr, signal}) => signal ?? console.error(stderr));
	onTestFinished(async () => {
		balancer.kill();
		await balancer;
	});
	const send = async (method: string, url: string, headers: Record<string, string> = {}, body?: object) => {
		const outgoing = request({
			...{host: '127.0.0.1', port: api, servername: 'mail.example.com', ca, method, path: url, agent: false},
			headers: {host: 'mail.example.com', ...headers, ...(body && {'content-type': 'application/json'})},
		});
		outgoing.end(body && JSON.stringify(body));
		const [response]: IncomingMessage[] = await once(outgoing, 'response');
		const content = response ? await text(response) : '';
		return {
			status: response?.statusCode ?? 0,
			headers: response?.headers ?? {},
			body: content === '' ? undefined : JSON.parse(content),
		};
	};
	await vi.waitFor(
		async () => {
			const {status} = await send('GET', '/v1/ready');
			if (status !== 200) {
				throw new Error(`The balancer answers ${status}.`);
			}
		},
		{timeout: 60_000},
	);
	return {send, smtp: {host: '127.0.0.1', port: mail}};
}

async function freePort(): Promise<number> {
	const server = net.createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const {port} = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}
