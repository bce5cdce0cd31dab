import {expect, test} from 'vitest';
import {RawClient, startServer} from './test-server.js';

test('pipelined commands of several sessions are all answered, a limited number per turn of the event loop', async () => {
	let inThisTurn = 0;
	let maxPerTurn = 0;
	const {port} = await startServer(
		{},
		{
			async acceptRecipient() {
				maxPerTurn = Math.max(maxPerTurn, ++inThisTurn);
				return false;
			},
		},
	);
	const clients = await Promise.all([1, 2, 3, 4, 5].map(async () => RawClient.open(port)));
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
	await Promise.all(clients.map(async client => client.closed()));
	isOver = true;
	for (const {output} of clients) {
		expect(output.match(/^550 /gm)).toHaveLength(400);
		expect(output).toMatch(/^221 .*\r\n$/m);
	}

	expect(maxPerTurn).toBeLessThanOrEqual(100);
});

test('commands after QUIT are not processed', async () => {
	const recipients: string[] = [];
	const {port} = await startServer(
		{},
		{
			async acceptRecipient(address) {
				recipients.push(address);
				return true;
			},
		},
	);
	const client = await RawClient.open(port);
	client.send(`MAIL FROM:<a@example.test>\r\n${'NOOP\r\n'.repeat(200)}QUIT\r\nRCPT TO:<late@tinbox.test>\r\n`);
	await client.closed();
	expect(client.output).toMatch(/\r\n221 .*\r\n$/);
	expect(recipients).toEqual([]);
});
