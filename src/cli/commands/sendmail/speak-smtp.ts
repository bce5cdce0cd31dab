import {connect, type Socket} from 'node:net';
import {causeOf} from '../../../lib/errors.js';
import {hostPort} from '../../../lib/io/hosts.js';
import type {Server} from '../../connect/smtp-client.js';
import type {Io} from '../../context.js';
import {Exit} from '../../output/exit.js';
import {sysexits} from './sysexits.js';

/** The last line of a reply (RFC 5321, section 4.2.1). */
const lastLine = /^(\d{3})(?: .*)?\r\n$/m;

const quit = 'quit\r\n';

/** How long the server may be silent when the caller has left. */
const graceMs = 10_000;

/** Has the caller speak SMTP with the server, by stdin and stdout. Who is to log in there is logged in before. */
export async function speakSmtp(server: Server, {stdin, stdout}: Io): Promise<void> {
	const socket = connect({host: server.host, port: server.port});
	try {
		const pieces: AsyncIterableIterator<Buffer> = socket.iterator();
		const greeting = await readReply(pieces);
		if (server.login) {
			const {user, password} = server.login;
			socket.write('EHLO localhost\r\n');
			await readReply(pieces);
			socket.write(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}\r\n`);
			await readReply(pieces);
		}

		stdout.write(greeting);
		speak(stdin, socket);
		for await (const piece of pieces) {
			stdout.write(piece);
		}
	} catch (error) {
		throw error instanceof Exit
			? error
			: new Exit(sysexits.later, 'no_daemon', `No SMTP response from ${hostPort(server)}: ${causeOf(error)}.`);
	} finally {
		socket.destroy();
		// Whoever keeps it open would keep this process, too.
		stdin.destroy();
	}
}

/** Hands over what the caller says. When it has left, it is still told what became of that. */
function speak(stdin: Io['stdin'], socket: Socket): void {
	let last = '';
	stdin.on('data', (piece: Buffer) => {
		last = (last + piece.toString('latin1')).slice(-quit.length);
	});
	stdin.once('end', () => {
		socket.setTimeout(graceMs, () => socket.destroy(new Error('the caller ended in the middle of a mail')));
		if (last.toLowerCase() !== quit) {
			socket.write(quit);
		}
	});
	stdin.pipe(socket, {end: false});
}

/** A whole reply. Throws `Exit` where it refuses. */
async function readReply(pieces: AsyncIterator<Buffer>): Promise<string> {
	let reply = '';
	for (;;) {
		const {value} = await pieces.next();
		if (value === undefined) {
			throw new Error('the connection was closed');
		}

		reply += String(value);
		const [, code] = lastLine.exec(reply) ?? [];
		if (code !== undefined) {
			assertTaken(Number(code), reply);
			return reply;
		}
	}
}

function assertTaken(code: number, reply: string): void {
	if (code >= 400) {
		const message = `The SMTP server rejected the session: ${reply.trim()}`;
		throw new Exit(code < 500 ? sysexits.later : sysexits.denied, 'refused', message);
	}
}
