/** @typedef {import('./things.js').Thing} Thing */

/**
 * What connections and requests can do, whatever they are about.
 * @type {Record<string, Thing>}
 */
export const connectionThings = {
	async 'bodies of unknown keys'(attacker) {
		const keys = Array.from({length: 60_000}, (_, index) => `"unknown${index}":1`);
		const body = `{${keys.join(',')}}`;
		attacker.repeat(20, () => attacker.ask('POST', '/inboxes', body));
	},
	async '20,000 requests on one connection'(attacker) {
		const {host} = new URL(attacker.client.url);
		const key = attacker.client.headers['x-api-key'];
		const request = `GET /v1/inboxes HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n\r\n`;
		const requests = request.repeat(20_000);
		attacker.repeat(2, async () => {
			const socket = attacker.connect(requests).resume();
			await Promise.race([
				new Promise(resolve => socket.once('close', resolve)),
				new Promise(resolve => setTimeout(resolve, 2000)),
			]);
			socket.destroy();
		});
	},
	async '1,000 connections that say nothing'(attacker) {
		for (let count = 0; count < 500; count++) {
			attacker.connect('');
			attacker.connectSmtp();
		}
	},
	async '500 event streams that nobody reads'(attacker) {
		await tellStreams(attacker, () => {});
	},
	async '500 event streams that are read'(attacker) {
		await tellStreams(attacker, stream => stream.resume());
	},
	async 'guesses of keys and tokens'(attacker) {
		const {url} = attacker.client;
		attacker.repeat(32, async turn => {
			const guess = `${turn}`.padStart(1000, 'g');
			const headers = turn % 2 === 0 ? {'x-api-key': guess} : {authorization: `Bearer ${guess}.${guess}.${guess}`};
			await fetch(`${url}/users/me`, {headers}).then(answer => answer.text());
		});
	},
	async 'guesses of SMTP logins'(attacker) {
		const login = `AUTH PLAIN ${Buffer.from(`\0${'u'.repeat(100)}\0${'p'.repeat(300)}`).toString('base64')}\r\n`;
		attacker.repeat(32, async () => {
			const socket = attacker.connectSmtp().resume();
			socket.end(`EHLO worst.test\r\n${`${login}RCPT TO:<nobody@tinbox.test>\r\n`.repeat(50)}QUIT\r\n`);
			await new Promise(resolve => socket.once('close', resolve));
		});
	},
};

/**
 * Has 500 event streams tell of mail after mail.
 * @param {import('./attacker.js').Attacker} attacker
 * @param {(stream: import('node:net').Socket) => void} use what is done with each of them
 */
async function tellStreams(attacker, use) {
	const inbox = await attacker.inbox();
	for (let streams = 0; streams < 500; streams++) {
		use(attacker.leaveUnread('/events'));
	}

	const mails = Array(100).fill(`Subject: ${'x'.repeat(900)}\r\n\r\nx`);
	attacker.repeat(10, () => attacker.mail(inbox, ...mails));
}
