import {expect, test} from 'vitest';
import {RawClient, startServer} from './smtp-test.js';

test('bursts of commands of several sessions are answered in full, a few in each turn of the event loop', async () => {
	let inThisTurn = 0;
	let most = 0;
	const {port} = await startServer(
		{},
		{
			async acceptRecipient() {
				most = Math.max(most, ++inThisTurn);
				return false;
			},
		},
	);
	const clients = await Promise.all([1, 2, 3, 4, 5].map(async () => RawClient.greeted(port)));
	for (const client of clients) {
		client.send(`MAIL FROM:<a@example.test>\r\n${'RCPT TO:<nobody@tinbox.test>\r\n'.repeat(400)}QUIT\r\n`);
	}

	let isOver = false;
	const countTurns = () => {
		inThisTurn = 0;
		if (!isOver) {
			setImmediate(countTurns);
		}
	};
	countTurns();
	await Promise.all(clients.map(async client => client.ended()));
	isOver = true;
	for (const {heard} of clients) {
		expect(heard.match(/^550 /gm)).toHaveLength(400);
		expect(heard).toMatch(/^221 .*\r\n$/m);
	}

	expect(most).toBeLessThanOrEqual(100);
});

test('commands behind one that ends the session are not processed', async () => {
	const asked: string[] = [];
	const {port} = await startServer(
		{},
		{
			async acceptRecipient(address) {
				asked.push(address);
				return true;
			},
		},
	);
	const client = await RawClient.greeted(port);
	client.send(`MAIL FROM:<a@example.test>\r\n${'NOOP\r\n'.repeat(200)}QUIT\r\nRCPT TO:<late@tinbox.test>\r\n`);
	await client.ended();
	expect(client.heard).toMatch(/\r\n221 .*\r\n$/);
	expect(asked).toEqual([]);
});
