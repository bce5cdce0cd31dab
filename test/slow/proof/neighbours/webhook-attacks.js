/** @typedef {import('./attacks.js').AttackFunction} AttackFunction */

/**
 * Attacks by receivers of webhooks.
 * @type {Record<string, AttackFunction>}
 */
export const webhookAttacks = {
	async '3,000 endpoints that hang'(attacker) {
		await announceTo(attacker, 3000, () => {});
	},
	async '300 unread lists of 1,000 endpoints'(attacker) {
		const url = `http://127.0.0.1:9/?${'"'.repeat(2000)}`;
		await attacker.times(1000, () => attacker.ask('POST', '/webhooks', {url}));
		for (let lists = 0; lists < 300; lists++) {
			attacker.leaveUnread('/webhooks');
		}
	},
	async 'receivers that respond byte by byte'(attacker) {
		await announceTo(attacker, 300, response => {
			response.writeHead(200);
			const drip = setInterval(() => response.write('x'), 20);
			response.on('close', () => clearInterval(drip));
		});
	},
	async 'endless webhook responses'(attacker) {
		const piece = Buffer.alloc(1_000_000, 'x');
		await announceTo(attacker, 50, response => {
			response.writeHead(500);
			const flood = () => {
				while (!response.destroyed && response.write(piece)) {
					// Fill the buffer.
				}
			};
			response.on('drain', flood);
			flood();
		});
	},
	async 'endless 103 responses'(attacker) {
		await announceTo(attacker, 50, flood('HTTP/1.1 103\r\n\r\n'.repeat(4096)));
	},
	async 'responses in chunks of one byte'(attacker) {
		await announceTo(attacker, 50, response => {
			response.socket?.write('HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n');
			flood('1\r\nx\r\n'.repeat(10_000))(response);
		});
	},
};

/**
 * Writes to the raw connection as long as the other side reads.
 * @param {string} text
 */
function flood(text) {
	return (/** @type {import('node:http').ServerResponse} */ {socket}) => {
		const write = () => {
			while (socket && !socket.destroyed && socket.write(text, 'latin1')) {
				// Fill the buffer.
			}
		};
		socket?.on('drain', write);
		write();
	};
}

/**
 * Sends mails continuously that are delivered to many endpoints.
 * @param {import('./attacker.js').Attacker} attacker
 * @param {number} endpoints
 * @param {Parameters<import('./attacker.js').Attacker['receiver']>[0]} answer
 */
async function announceTo(attacker, endpoints, answer) {
	const url = await attacker.receiver(answer);
	const inbox = await attacker.inbox();
	await attacker.times(endpoints, () => attacker.ask('POST', '/webhooks', {url}));
	attacker.repeat(1, () => attacker.mail(inbox, ...Array(5).fill('Subject: announced\r\n\r\nx')));
}
