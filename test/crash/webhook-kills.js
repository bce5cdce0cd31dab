import {randomInt} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {text} from 'node:stream/consumers';
import {setTimeout} from 'node:timers/promises';
import {SmtpSession} from '../helpers/smtp-session.js';

/**
 * @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon
 *
 * @typedef {object} Announced what became of one mail
 * @property {string} subject
 * @property {Set<string>} deliveryIds
 * @property {Set<string>} bodies
 * @property {number} requests
 *
 * @typedef {object} Problems
 * @property {number} kills
 * @property {number} acknowledged mails answered with 250
 * @property {number} requests that reached the receiver
 * @property {number} repeated events that it saw more than once
 * @property {number} forgotten acknowledged mails of which the receiver never heard
 * @property {number} doubled events that came under several delivery ids
 * @property {number} mixedUp delivery ids that stood for several events
 * @property {number} changed events that came with several bodies
 * @property {number} unfinished deliveries that are neither delivered nor dead in the end
 */

/** Attempts that fail are due again almost at once, and the log of the endpoint is kept whole. */
export const flags = ['--webhook-retry-delay', '50ms', '--webhook-keep', '1000000'];

const clients = 4;
const mailsPerClient = 10;

/** How long the last deliveries may take. */
const patienceMs = 60_000;

/**
 * Kills the daemon at random moments while mail comes in and its deliveries are due, to a receiver that refuses every
 * fourth request, and looks in the end what the receiver was told.
 * @param {() => Promise<CrashedDaemon>} start starts the daemon anew over the same files, with `flags`
 * @param {number} rounds
 * @param {(text: string) => void} [progress]
 * @returns {Promise<Problems>}
 */
export async function webhookKills(start, rounds, progress = () => {}) {
	const receiver = await startReceiver();
	/** @type {Set<string>} */
	const acknowledged = new Set();
	let daemon = await start();
	const inbox = await daemon.createInbox();
	const endpointId = await daemon.createEndpoint(inbox, receiver.url);
	for (let round = 1; round <= rounds; round++) {
		const senders = Array.from({length: clients}, (_, client) =>
			send(daemon.smtp, inbox.address, `${round}-${client}`, acknowledged),
		);
		await setTimeout(randomInt(20, 200));
		await daemon.kill();
		await Promise.all(senders);
		daemon = await start();
		progress(JSON.stringify({kills: round, acknowledged: acknowledged.size, events: receiver.announced.size}));
	}

	const unfinished = await untilFinished(async () =>
		(await daemon.deliveries(inbox, endpointId)).filter(({status}) => status === 'pending' || status === 'failed'),
	);
	await daemon.kill();
	await receiver.close();
	return {kills: rounds, acknowledged: acknowledged.size, unfinished, ...problemsOf(receiver.announced, acknowledged)};
}

/**
 * @param {ReadonlyMap<string, Announced>} announced
 * @param {ReadonlySet<string>} acknowledged
 */
function problemsOf(announced, acknowledged) {
	const events = [...announced.values()];
	const subjects = new Set(events.map(({subject}) => subject));
	const deliveryIds = events.flatMap(event => [...event.deliveryIds]);
	return {
		requests: events.reduce((sum, {requests}) => sum + requests, 0),
		repeated: events.filter(({requests}) => requests > 1).length,
		forgotten: [...acknowledged].filter(subject => !subjects.has(subject)).length,
		doubled: events.filter(event => event.deliveryIds.size > 1).length,
		mixedUp: deliveryIds.length - new Set(deliveryIds).size,
		changed: events.filter(({bodies}) => bodies.size > 1).length,
	};
}

/** A receiver that notes what it is told of each message, and takes its time to answer. */
async function startReceiver() {
	/** @type {Map<string, Announced>} */
	const announced = new Map();
	let count = 0;
	const server = createServer(async (request, response) => {
		// A kill in the middle of a request leaves half of one, which is nothing.
		const body = await text(request).catch(() => undefined);
		if (body !== undefined) {
			const {id, subject} = JSON.parse(body).message;
			const event = announced.get(id) ?? {subject, deliveryIds: new Set(), bodies: new Set(), requests: 0};
			announced.set(id, event);
			event.deliveryIds.add(String(request.headers['x-tinbox-delivery-id']));
			event.bodies.add(body);
			event.requests++;
			count++;
			const status = count % 4 === 0 ? 500 : 200;
			await setTimeout(5);
			response.writeHead(status).end();
		}
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const port = typeof address === 'object' && address ? address.port : 0;
	return {
		url: `http://127.0.0.1:${port}/`,
		announced,
		async close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/**
 * Sends mails, each with a subject of its own, unless the connection breaks before.
 * @param {{host: string, port: number}} smtp
 * @param {string} address
 * @param {string} name begins the subjects
 * @param {Set<string>} acknowledged
 */
async function send(smtp, address, name, acknowledged) {
	try {
		const session = await SmtpSession.open(smtp);
		for (let count = 0; count < mailsPerClient; count++) {
			const subject = `${name}-${count}`;
			await session.send('sender@crash.test', address, `Subject: ${subject}\r\n\r\nA short mail.\r\n`);
			acknowledged.add(subject);
		}

		await session.quit();
	} catch {
		// The kill: whatever was not acknowledged by now may be announced or not.
	}
}

/**
 * Waits until nothing is left, but not for ever; resolves to how much is left.
 * @param {() => Promise<readonly unknown[]>} find
 */
async function untilFinished(find) {
	const deadline = Date.now() + patienceMs;
	let left = await find();
	while (left.length > 0 && Date.now() < deadline) {
		await setTimeout(200);
		left = await find();
	}

	return left.length;
}
