import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {access, constants, stat, statfs} from 'node:fs/promises';
import {createServer} from 'node:net';
import path from 'node:path';
import type {Command} from 'commander';
import {maxJsonBytes, parseResponse} from '../../client/caller.js';
import {ApiError, ignoreNotFound} from '../../client/errors.js';
import {openResponse, readBody} from '../../client/exchange.js';
import type {Client} from '../../client/index.js';
import {smtpsPortOf} from '../../config/settings.js';
import {maxLimit} from '../../contract/constants.js';
import type {HealthBody} from '../../contract/daemon.js';
import {describeRefusal} from '../../contract/descriptions.js';
import type {CreatedInboxBody} from '../../contract/inboxes.js';
import type {MessageBody} from '../../contract/messages.js';
import {hostPort} from '../../lib/io/hosts.js';
import {sanitizeLine, sanitizeText} from '../../lib/text/sanitize.js';
import {ago, formatSize} from '../../lib/text/units.js';
import {version} from '../../lib/version.js';
import {readState} from '../../runtime/state-file.js';
import type {Server} from '../connect/smtp-client.js';
import {findServer, loggedIn} from '../connect/smtp-server.js';
import type {Context} from '../context.js';
import {chosenSettings, explainListenError} from '../control/settings.js';
import {addHelpNote, type JsonFields, type JsonFlag, jsonOption} from '../options.js';
import {Exit, exitCodes} from '../output/exit.js';
import {describeFailure, explainPlace} from '../output/failure.js';
import {printJson} from '../output/print.js';
import {withSpinner} from '../output/progress.js';

export function fillDoctor(command: Command, context: Context): void {
	addHelpNote(command, 'The exit code is 1 if a check fails. Starts a daemon if none is running.')
		.addOption(jsonOption(fields))
		.action(async ({json}: JsonFlag) => diagnose(json, context));
}

async function diagnose(json: JsonFields, context: Context): Promise<void> {
	const checks: Finding[] = [];
	const found = findings(context);
	const next = async () => withSpinner(context, 'checking', () => found.next());
	for (let finding = (await next()).value; finding; finding = (await next()).value) {
		checks.push(finding);
		if (!json) {
			print(finding, context);
		}
	}

	const failed = checks.filter(({result}) => result === 'failed');
	if (json) {
		printJson(context.io, {healthy: failed.length === 0, checks}, json);
	}

	if (failed.length > 0) {
		const names = failed.map(({name}) => `"${name}"`).join(', ');
		throw new Exit(exitCodes.failed, 'unhealthy', `These checks failed: ${names}.`);
	}
}

async function* findings(context: Context): AsyncGenerator<Finding, undefined> {
	const machine = context.remoteUrl() === undefined ? machineChecks(context) : [];
	const {stages, cleanUp} = mailStages(context);
	try {
		yield* runChecks([...machine, ...daemonChecks(context), refusalCheck(context), ...stages], context);
	} finally {
		await cleanUp();
	}
}

function print({name, result, detail, hint}: Finding, {io: {stdout}}: Context): void {
	if (!stdout.isTTY) {
		stdout.write(`${[name, result, detail].map(sanitizeLine).join('\t')}\n`);
		return;
	}

	stdout.write(`${result.padEnd(7)}  ${name.padEnd(12)}  ${sanitizeLine(detail)}\n`);
	if (hint !== undefined) {
		stdout.write(`${' '.repeat(23)}${sanitizeText(hint)}\n`);
	}
}

type DoctorCheck = {
	readonly name: string;
	/** Name of an earlier check; this check is skipped unless that one succeeded. */
	readonly needs?: string;
	/** Returns the detail to print. Throws if the check fails. */
	run(): Promise<string>;
};

type Finding = {
	readonly name: string;
	readonly result: 'ok' | 'failed' | 'skipped';
	readonly detail: string;
	readonly hint?: string | undefined;
};

/** Runs the checks in order and skips those whose prerequisite failed. */
async function* runChecks(checks: readonly DoctorCheck[], context: Context): AsyncGenerator<Finding, undefined> {
	/** Maps each failed or skipped check to the name of the check that failed. */
	const causes = new Map<string | undefined, string>();
	for (const check of checks) {
		const {name, needs} = check;
		const cause = causes.get(needs);
		const finding: Finding =
			cause === undefined ? await runOne(check, context) : {name, result: 'skipped', detail: `"${cause}" failed`};
		if (finding.result !== 'ok') {
			causes.set(name, cause ?? name);
		}

		yield finding;
	}
}

async function runOne({name, run}: DoctorCheck, context: Context): Promise<Finding> {
	try {
		return {name, result: 'ok', detail: await run()};
	} catch (error) {
		const failure = describeFailure(error);
		const {hint = failure.hint} = explainPlace(error, context);
		return {name, result: 'failed', detail: failure.message, ...(hint !== undefined && {hint})};
	}
}

/** Maximum clock difference. The Date header has a resolution of one second. */
const maxSkewMs = 5000;

const healthTimeoutMs = 5000;

/** Name of the check that is a prerequisite of all checks that use the API. */
const daemonCheck = 'daemon';

/** Checks that a daemon responds, and that its store, version and clock are right. Starts a daemon if none is running. */
function daemonChecks({daemon, remoteUrl, now}: Context): readonly DoctorCheck[] {
	const health = async () => {
		const url = remoteUrl() ?? (await daemon()).url;
		const signal = AbortSignal.timeout(healthTimeoutMs);
		const {body} = await openResponse(url, {method: 'GET', path: '/health', signal}, {});
		const {status, version} = parseResponse<HealthBody>(url, (await readBody(url, body, maxJsonBytes)).toString());
		return {url, status, version, date: body.headers.date};
	};
	return [
		{name: daemonCheck, run: async () => `responds at ${(await health()).url}`},
		{name: 'store', needs: daemonCheck, run: async () => checkStore((await health()).status)},
		{name: 'version', needs: daemonCheck, run: async () => checkVersion((await health()).version)},
		{name: 'clock', needs: daemonCheck, run: async () => checkClock((await health()).date, now())},
	];
}

function checkStore(status: HealthBody['status']): string {
	if (status === 'degraded') {
		throw new Exit(exitCodes.failed, 'unavailable', 'The daemon cannot reach its database.', {
			hint: 'Check that the database is running. The daemon reconnects automatically. For the reason, see its log: tinbox daemon logs',
		});
	}

	return 'responds';
}

function checkVersion(daemonVersion: string): string {
	if (daemonVersion !== version) {
		const problem = `The daemon runs tinbox ${daemonVersion}, but this command is ${version}.`;
		throw new Exit(exitCodes.failed, 'version', problem, {hint: 'Restart the daemon: tinbox daemon restart'});
	}

	return version;
}

function checkClock(date: string | undefined, now: Date): string {
	const skewMs = Date.parse(date ?? '') - now.getTime();
	const distanceMs = Math.abs(skewMs);
	// Also fails for NaN, if the response had no Date header.
	if (!(distanceMs < maxSkewMs)) {
		const seconds = Math.round(distanceMs / 1000);
		const side = skewMs > 0 ? 'ahead' : 'behind';
		throw new Exit(exitCodes.failed, 'clock', `The clock of the daemon is ${seconds} s ${side}.`, {
			hint: 'Synchronize both clocks with NTP. Time filters and tokens depend on them.',
		});
	}

	return 'in sync';
}

/** Minimum free disk space; below it, the daemon may soon reject mail. */
const minFreeBytes = 256 * 1024 * 1024;

/** Checks of the local machine that need no running daemon. */
function machineChecks(context: Context): readonly DoctorCheck[] {
	const {paths} = context;
	const state = readState(paths.stateFile);
	const dataDir = () => state?.data_dir ?? chosenSettings(context, {}).dataDir;
	return [
		{name: 'node', run: async () => `${process.version} on ${process.platform} ${process.arch}`},
		{name: 'settings', run: () => checkSettings(context)},
		{name: 'data folder', run: () => checkFolder(dataDir())},
		{name: 'state folder', run: () => checkFolder(path.dirname(paths.stateFile))},
		{name: 'disk', run: () => checkSpace(dataDir())},
		{name: 'ports', run: async () => (state ? 'in use by the daemon' : checkPorts(context))},
	];
}

async function checkSettings(context: Context): Promise<string> {
	const file = context.paths.settingsFile;
	chosenSettings(context, {});
	const stats = await stat(file).catch(() => undefined);
	assertPrivate(file, stats?.mode);
	return stats ? file : 'no settings file';
}

async function checkFolder(folder: string): Promise<string> {
	const stats = await stat(folder).catch(() => undefined);
	const existing = stats ? folder : await nearestExisting(folder);
	await access(existing, constants.W_OK).catch(() => {
		throw new Exit(exitCodes.failed, 'not_writable', `The folder ${existing} is not writable.`, {
			hint: 'Change its owner or mode, or set TINBOX_HOME to a folder that you can write to.',
		});
	});
	assertPrivate(folder, stats?.mode);
	return stats ? folder : `${folder} (not created yet)`;
}

/** Throws `Exit` if other users can access a file or folder with mail or keys. */
function assertPrivate(file: string, mode = 0): void {
	if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
		throw new Exit(exitCodes.failed, 'not_private', `Other users can access ${file}.`, {
			hint: `Remove their access: chmod go= ${file}`,
		});
	}
}

async function checkSpace(folder: string): Promise<string> {
	const {bavail, bsize} = await statfs(await nearestExisting(folder));
	const free = `${formatSize(bavail * bsize)} free`;
	if (bavail * bsize < minFreeBytes) {
		throw new Exit(exitCodes.failed, 'disk_full', `Low disk space for ${folder}: ${free}.`, {
			hint: 'Delete mail or other files, or choose another folder with --data-dir or TINBOX_DATA_DIR.',
		});
	}

	return free;
}

async function checkPorts(context: Context): Promise<string> {
	const settings = chosenSettings(context, {});
	const {host, smtpPort, httpPort, httpsPort} = settings;
	const ports = [smtpPort, smtpsPortOf(settings), httpPort, httpsPort].filter(port => typeof port === 'number');
	for (const port of ports) {
		const server = createServer().listen(port, host);
		await once(server, 'listening').catch(async error => {
			throw await explainListenError(error, settings);
		});
		server.close();
	}

	return ports.includes(0) ? 'any free ports' : `${ports.slice(0, -1).join(', ')} and ${ports.at(-1)} are free`;
}

/** The folder, or its nearest existing ancestor. */
async function nearestExisting(folder: string): Promise<string> {
	return stat(folder).then(
		() => folder,
		() => nearestExisting(path.dirname(folder)),
	);
}

/** Timeout for an accepted mail to be listed. */
const listTimeoutMs = 10_000;

/** Checks that send a mail through the daemon; each needs the previous one. `cleanUp` deletes the inbox. */
function mailStages(context: Context): {readonly stages: readonly DoctorCheck[]; cleanUp(): Promise<void>} {
	const subject = `tinbox doctor ${randomUUID()}`;
	let client: Client;
	let inbox: CreatedInboxBody | undefined;
	let server: Server;
	let source: string;
	let message: MessageBody;
	const createdInbox = () => inbox ?? failCheck('The inbox was not created.');
	const cleanUp = async () => {
		if (inbox) {
			await client.inboxes.delete(inbox.id).catch(() => {});
		}
	};
	const runs: Readonly<Record<string, DoctorCheck['run']>> = {
		async inbox() {
			client = await context.api();
			inbox = await client.inboxes.create({name: subject, ttl: 60});
			return `created ${inbox.email_address}`;
		},
		async 'smtp connect'() {
			const {greet} = await import('../connect/smtp-client.js');
			const found = await findServer({}, context);
			const {smtp} = createdInbox();
			server = found.isForInboxes && smtp ? loggedIn(found, smtp) : found;
			await greet(server);
			return `connected to ${hostPort(server)}`;
		},
		async 'smtp accept'() {
			const {sendMail} = await import('../connect/smtp-client.js');
			const to = createdInbox().email_address;
			source = testMail(to, subject);
			await sendMail(server, {raw: source, envelope: {from: sender, to}});
			return `${Buffer.byteLength(source)} bytes accepted`;
		},
		async listed() {
			const found = await client.messages.wait(createdInbox().id, {q: subject}, {timeoutMs: listTimeoutMs});
			message = found ?? failCheck(`The mail was not listed within ${listTimeoutMs / 1000} s.`);
			return `message ${message.id}`;
		},
		async 'read back'() {
			const raw = await client.messages.raw(createdInbox().id, message.id);
			// The daemon adds header fields at the top.
			return raw.toString().endsWith(source)
				? 'identical to the mail that was sent'
				: failCheck('The stored source differs from the mail that was sent.');
		},
		async deleted() {
			const {id} = createdInbox();
			await client.inboxes.delete(id);
			const found = await client.messages.get(id, message.id).catch(ignoreNotFound);
			return found ? failCheck('The mail can still be read after its inbox was deleted.') : 'inbox and mail deleted';
		},
	};
	const names = Object.keys(runs);
	const stages = Object.entries(runs).map(([name, run], index) => ({
		name,
		run,
		needs: names[index - 1] ?? daemonCheck,
	}));
	return {stages, cleanUp};
}

const sender = 'doctor@tinbox.test';

function testMail(to: string, subject: string): string {
	return [
		`From: tinbox doctor <${sender}>`,
		`To: ${to}`,
		`Subject: ${subject}`,
		`Message-ID: <${randomUUID()}@tinbox.test>`,
		`Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
		'MIME-Version: 1.0',
		'Content-Type: text/plain; charset=utf-8',
		'Content-Transfer-Encoding: 8bit',
		'',
		'A line with non-ASCII characters: grüße, 你好.',
		'.a line that starts with a dot',
		'',
	].join('\r\n');
}

function failCheck(problem: string): never {
	throw new Exit(exitCodes.failed, 'unhealthy', problem, {hint: 'See the log of the daemon: tinbox daemon logs'});
}

const recentMs = 60 * 60_000;

/** Check that reports recently rejected mail. It succeeds even then, because the sender has to fix it. */
export function refusalCheck({api, now}: Pick<Context, 'api' | 'now'>): DoctorCheck {
	return {
		name: 'refusals',
		needs: daemonCheck,
		async run() {
			try {
				const since = new Date(now().getTime() - recentMs).toISOString();
				const recent = (await (await api()).refusals.list({limit: maxLimit})).filter(({time}) => time >= since);
				const [latest] = recent;
				return latest
					? `${recent.length} in the last hour, most recent ${ago(latest.time, now())}: ${describeRefusal(latest)}`
					: 'none in the last hour';
			} catch (error) {
				if (error instanceof ApiError && error.status === 403) {
					return 'visible only to the operator';
				}

				throw error;
			}
		},
	};
}

const fields = ['healthy', 'checks'];
