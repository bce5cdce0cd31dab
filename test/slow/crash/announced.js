import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {text} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';

/**
 * @typedef {object} Announced what became of one mail
 * @property {string} subject
 * @property {Set<string>} deliveryIds
 * @property {Set<string>} bodies hashes of them
 * @property {number} requests
 *
 * @typedef {object} AnnouncementProblems
 * @property {number} requests that reached the receiver
 * @property {number} repeated events that it saw more than once
 * @property {number} forgotten acknowledged mails of which the receiver never heard
 * @property {number} doubled events that came under several delivery ids
 * @property {number} mixedUp delivery ids that stood for several events
 * @property {number} changed events that came with several bodies
 * @property {number} overlapping requests that came while another of the same delivery was under way
 * @property {number} crowded requests that came while four others of the same endpoint were under way
 */

/** At one endpoint. */
const mostAtOnce = 4;

/**
 * A receiver that notes what it is told of each message, takes its time to answer and refuses some. Each endpoint has a path of
 * its own.
 * @param {{refuseEvery: number, answerMs: () => number}} manners
 */
export async function startReceiver({refuseEvery, answerMs}) {
	/** @type {Map<string, Announced>} */
	const announced = new Map();
	/** @type {Map<string, number>} */
	const underWay = new Map();
	const enter = (/** @type {string} */ name) => {
		const others = underWay.get(name) ?? 0;
		underWay.set(name, others + 1);
		return others;
	};
	const leave = (/** @type {string} */ name) => {
		const left = (underWay.get(name) ?? 0) - 1;
		left > 0 ? underWay.set(name, left) : underWay.delete(name);
	};
	let count = 0;
	let overlapping = 0;
	let crowded = 0;
	const server = createServer(async (request, response) => {
		const deliveryId = String(request.headers['x-tinbox-delivery-id']);
		const names = [`delivery ${deliveryId}`, `endpoint ${request.url}`];
		const [sameDelivery = 0, sameEndpoint = 0] = names.map(enter);
		overlapping += sameDelivery > 0 ? 1 : 0;
		crowded += sameEndpoint >= mostAtOnce ? 1 : 0;
		let isOver = false;
		const end = () => {
			if (!isOver) {
				isOver = true;
				names.forEach(leave);
			}
		};
		response.on('close', end);
		// A kill in the middle of a request leaves half of one, which is nothing.
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
