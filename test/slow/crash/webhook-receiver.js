import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {text} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';

/**
 * @typedef {object} ReceivedEvent the webhook requests for one message
 * @property {string} subject
 * @property {Set<string>} deliveryIds
 * @property {Set<string>} bodies hashes of the request bodies
 * @property {number} requests
 *
 * @typedef {object} AnnouncementProblems
 * @property {number} requests received requests
 * @property {number} repeated events received more than once
 * @property {number} forgotten acknowledged mails without a request
 * @property {number} doubled events with several delivery ids
 * @property {number} mixedUp delivery ids with several events
 * @property {number} changed events with several bodies
 * @property {number} overlapping requests during another request of the same delivery
 * @property {number} crowded requests during four other requests of the same endpoint
 */

/** Concurrency limit of an endpoint. */
const concurrencyLimit = 4;

/**
 * Starts a receiver that records the requests for each message, responds with a delay and rejects some requests. Each endpoint
 * has its own path.
 * @param {{refuseEvery: number, answerMs: () => number}} behavior
 */
export async function startReceiver({refuseEvery, answerMs}) {
	/** @type {Map<string, ReceivedEvent>} */
	const announced = new Map();
	/** @type {Map<string, number>} */
	const active = new Map();
	const enter = (/** @type {string} */ name) => {
		const others = active.get(name) ?? 0;
		active.set(name, others + 1);
		return others;
	};
	const leave = (/** @type {string} */ name) => {
		const left = (active.get(name) ?? 0) - 1;
		left > 0 ? active.set(name, left) : active.delete(name);
	};
	let count = 0;
	let overlapping = 0;
	let crowded = 0;
	const server = createServer(async (request, response) => {
		const deliveryId = String(request.headers['x-tinbox-delivery-id']);
		const names = [`delivery ${deliveryId}`, `endpoint ${request.url}`];
		const [sameDelivery = 0, sameEndpoint = 0] = names.map(enter);
		overlapping += sameDelivery > 0 ? 1 : 0;
		crowded += sameEndpoint >= concurrencyLimit ? 1 : 0;
		let isOver = false;
		const end = () => {
			if (!isOver) {
				isOver = true;
				names.forEach(leave);
			}
		};
		response.on('close', end);
		// A kill during a request leaves an incomplete one, which is ignored.
		const body = await text(request).catch(() => undefined);
		if (body !== undefined) {
			const {id, subject} = JSON.parse(body).message;
			const event = announced.get(id) ?? {subject, deliveryIds: new Set(), bodies: new Set(), requests: 0};
			announced.set(id, event);
			event.deliveryIds.add(deliveryId);
			event.bodies.add(createHash('sha1').update(body).digest('base64'));
			event.requests++;
			count++;
			const status = count % refuseEvery === 0 ? 500 : 200;
			await sleep(answerMs());
			end();
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
		/**
		 * @param {ReadonlySet<string>} acknowledged subjects of the mails that were answered with 250
		 * @returns {AnnouncementProblems}
		 */
		problems(acknowledged) {
			const events = [...announced.values()];
			const subjects = new Set(events.map(({subject}) => subject));
			const deliveryIds = events.flatMap(event => [...event.deliveryIds]);
			return {
				requests: count,
				repeated: events.filter(({requests}) => requests > 1).length,
				forgotten: [...acknowledged].filter(subject => !subjects.has(subject)).length,
				doubled: events.filter(event => event.deliveryIds.size > 1).length,
				mixedUp: deliveryIds.length - new Set(deliveryIds).size,
				changed: events.filter(({bodies}) => bodies.size > 1).length,
				overlapping,
				crowded,
			};
		},
		async close() {
			server.close();
			server.closeAllConnections();
		},
	};
}
