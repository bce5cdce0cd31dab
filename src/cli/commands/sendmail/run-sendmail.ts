import {hostname, userInfo} from 'node:os';
import {formatSize} from '../../../lib/text/units.js';
import {version} from '../../../lib/version.js';
import {type Server, sendMail} from '../../connect/smtp-client.js';
import {findServer, loggedIn, mailingsTo} from '../../connect/smtp-server.js';
import type {Context, Io} from '../../context.js';
import {findInbox} from '../../find.js';
import {maxMailBytes} from '../../mail-files/formats.js';
import {Exit, exitCodes} from '../../output/exit.js';
import {printLine} from '../../output/print.js';
import {readFlags, type SendmailCall} from './read-flags.js';
import {speakSmtp} from './speak-smtp.js';
import {addressesOf, completed, readAddresses, readSubmitted, recipientsIn} from './submitted-mail.js';
import {asSysexit, sysexits} from './sysexits.js';

/** Does what sendmail does with these arguments, as far as tinbox can. Throws `Exit` with an exit code of sendmail. */
export async function runSendmail(args: readonly string[], context: Context): Promise<void> {
	try {
		await run(readFlags(args), context);
	} catch (error) {
		throw asSysexit(error);
	}
}

async function run(call: SendmailCall, context: Context): Promise<void> {
	const {mode} = call;
	if (mode === 's') {
		await speakSmtp(await serverFor(context), context.io);
	} else if (['m', 'am', 'a'].includes(mode)) {
		await send(call, context);
	} else {
		answerMode(mode, context.io);
	}
}

/** What is said in modes in which there is nothing to do. */
const answers: Readonly<Record<string, string>> = {
	p: 'Mail queue is empty: tinbox stores mail immediately.',
	q: 'Nothing is queued: tinbox stores mail immediately.',
	i: 'There are no aliases: an inbox receives mail for its address.',
	V: `tinbox ${version}`,
};

function answerMode(mode: string, io: Io): void {
	const letter = mode.slice(0, 1);
	const answer = answers[letter];
	if (answer !== undefined) {
		printLine(io, answer);
	} else if (/[dDl]/.test(letter)) {
		throw new Exit(sysexits.usage, 'usage', `-b${mode} starts a daemon. Use this instead: tinbox daemon start`);
	} else {
		throw new Exit(
			sysexits.unavailable,
			'no_mode',
			`Unsupported mode "${mode}". Supported: sending mail, and SMTP with -bs.`,
		);
	}
}

async function send(call: SendmailCall, context: Context): Promise<void> {
	const {readsRecipients, recipients, readsSender, dsn} = call;
	if (!readsRecipients && recipients.length === 0) {
		throw new Exit(sysexits.usage, 'usage', 'Specify recipients, or use -t to read them from the mail.');
	}

	const mail = readSubmitted(await readStdin(context.io), call.ignoresDots);
	const named = [...recipients.flatMap(readAddresses), ...(readsRecipients ? recipientsIn(mail) : [])];
	if (named.length === 0) {
		throw new Exit(sysexits.data, 'no_recipient', 'The mail has no recipients.');
	}

	const sender = (readsSender ? addressesOf(mail, 'from')[0] : undefined) ?? senderOf(call);
	const server = await serverFor(context);
	const to = [...new Set(await Promise.all(named.map(name => addressOf(name, context))))];
	const raw = completed(mail, {name: call.name, address: sender || ownAddress()});
	const failures: unknown[] = [];
	for (const {server: one, to: some} of await mailingsTo(to, server, context)) {
		await sendMail(one, {raw, envelope: {from: sender, to: [...some]}, dsn}).catch(error => failures.push(error));
	}

	if (failures.length > 0) {
		throw failures[0];
	}
}

async function readStdin({stdin}: Io): Promise<Buffer> {
	const pieces: Buffer[] = [];
	let size = 0;
	for await (const piece of stdin as AsyncIterable<Buffer>) {
		size += piece.length;
		if (size > maxMailBytes) {
			throw new Exit(sysexits.data, 'too_large', `The mail is larger than ${formatSize(maxMailBytes)}.`);
		}

		pieces.push(piece);
	}

	return Buffer.concat(pieces);
}

/** Where the mail goes: to the daemon, and with TINBOX_INBOX as that inbox. */
async function serverFor(context: Context): Promise<Server> {
	const name = context.env['TINBOX_INBOX'];
	const server = await findServer({}, context);
	if (!name) {
		return server;
	}

	const client = await context.api();
	const {id} = await findInbox(client, name).catch(error => {
		throw error instanceof Exit
			? new Exit(sysexits.settings, error.code, `TINBOX_INBOX: ${error.message}`, {hint: error.hint})
			: error;
	});
	return loggedIn(server, await client.inboxes.credentials(id));
}

/** A name alone is that of an inbox, or of a user at this host. */
async function addressOf(name: string, {api, env}: Context): Promise<string> {
	const isInbox = !(name.includes('@') || env['TINBOX_INBOX']);
	const inbox = isInbox ? await findInbox(await api(), name).catch(ignoreNotFound) : undefined;
	return inbox && !inbox.email_address.startsWith('*') ? inbox.email_address : wholeAddress(name);
}

/** An address, or the name of a user at this host: what else is written there would be cut down to some address. */
function wholeAddress(name: string): string {
	if (!/^(?:"(?:[^"\\]|\\.)+"|[^\s"<>(),;:@[\]\\]+)(?:@[^\s"<>(),;@\\]+)?$/.test(name)) {
		const message = `"${name}" is not an address or the name of an inbox.`;
		throw new Exit(sysexits.data, 'no_address', message, {
			hint: 'Use addresses such as ann@example.com, separated by commas.',
		});
	}

	return name.includes('@') ? name : `${name}@${hostname()}`;
}

function ignoreNotFound(error: unknown): undefined {
	if (!(error instanceof Exit && error.exitCode === exitCodes.notFound)) {
		throw error;
	}
}

/** Empty for mail to which nothing is to come back. */
function senderOf({sender}: SendmailCall): string {
	if (sender === undefined) {
		return ownAddress();
	}

	const [address = ''] = readAddresses(sender);
	return address === '' ? '' : wholeAddress(address);
}

function ownAddress(): string {
	return `${userName()}@${hostname()}`;
}

function userName(): string {
	try {
		return userInfo().username;
	} catch {
		// In a container, the user may have no name.
		return 'nobody';
	}
}
