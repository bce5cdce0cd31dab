import {setTimeout as sleep} from 'node:timers/promises';

/** @typedef {import('./attacks.js').AttackFunction} AttackFunction */

/** @param {number} length */
const longSubject = length => `Subject: ${'q'.repeat(length)}\r\n\r\nx`;

/** A pattern that is slow to match, although matching is linear in the value. */
const slowPattern = encodeURIComponent('/(?:.*a){20}z/');

const mailOfOneMegabyte = `Subject: large\r\n\r\n${`${'a'.repeat(70)}\r\n`.repeat(14_000)}`;

/**
 * Attacks by lists and searches.
 * @type {Record<string, AttackFunction>}
 */
export const searchAttacks = {
	async 'expensive regular expressions'(attacker) {
		const {path} = await attacker.inboxWith(...Array(20).fill(longSubject(500)));
		const pattern = encodeURIComponent(`/${'(?:q{0,900}){1}'.repeat(60)}/`);
		const header = `X-A: ${decodeURIComponent(pattern)}`;
		const query = `subject=${pattern}&from=${pattern}&to=${pattern}&header=${encodeURIComponent(header)}&match=pattern`;
		attacker.repeat(8, () => attacker.ask('GET', `${path}?${query}`));
	},
	async 'substrings that almost match'(attacker) {
		const {path} = await attacker.inboxWith(...Array(100).fill(longSubject(60_000)));
		attacker.repeat(8, () => attacker.ask('GET', `${path}?q=qx${'q'.repeat(4000)}`));
	},
	async 'ten full-text searches'(attacker) {
		const {path} = await attacker.inboxWith(...Array(20).fill(mailOfOneMegabyte));
		attacker.repeat(10, turn =>
			attacker.ask('GET', `${path}?contains=${slowPattern}&match=pattern&limit=${1 + (turn % 100)}`),
		);
	},
	async 'twenty searches of header fields'(attacker) {
		const fields = Array.from({length: 3000}, (_, index) => `X-A: ${index} aaaa`).join('\r\n');
		const {path} = await attacker.inboxWith(...Array(20).fill(`${fields}\r\n\r\nx`));
		const query = Array(10)
			.fill(`header=${encodeURIComponent('X-A: ')}${slowPattern}`)
			.join('&');
		attacker.repeat(20, () => attacker.ask('GET', `${path}?${query}&match=pattern`));
	},
	async 'waits with near misses'(attacker) {
		const {path} = await attacker.inboxWith(...Array(20).fill(mailOfOneMegabyte));
		const query = `contains=${slowPattern}&match=pattern&q=${'q'.repeat(4000)}`;
		attacker.repeat(10, async () => {
			await attacker.ask('GET', `${path}?${query}&wait=1`);
			await attacker.ask('GET', `${path.replace('/messages', '/misses')}?${query}&limit=100`);
		});
	},
	async 'list pages beyond the end'(attacker) {
		const {path} = await attacker.inboxWith(...Array(200).fill('Subject: x\r\n\r\nx'));
		attacker.repeat(32, turn => {
			const query = 'page=1000000&limit=100';
			return attacker.ask('GET', [`/inboxes?${query}`, `${path}?${query}`, `${path}?q=x&${query}`][turn % 3] ?? '');
		});
	},
	async 'a large inbox, 1,000 polls that never match, and pages beyond the end'(attacker) {
		const inbox = await attacker.inbox();
		await attacker.fill(inbox, 1000);
		const path = `/inboxes/${inbox.id}/messages`;
		for (let polls = 0; polls < 1000; polls++) {
			const never =
				polls % 2 === 0 ? `q=never${polls}` : `match=pattern&subject=${encodeURIComponent(`/never${polls}/`)}`;
			attacker.leaveUnread(`${path}?wait=60&${never}`).resume();
			// Concurrent requests are another attack.
			await sleep(3);
		}

		attacker.repeat(32, turn => {
			const query = ['after=2020-01-01T00:00:00Z&page=1000000', 'after=2100-01-01T00:00:00Z'][turn % 2];
			return attacker.ask('GET', `${path}?${query}`);
		});
	},
	async 'unread large lists'(attacker) {
		const {path} = await attacker.inboxWith(
			`Content-Type: text/plain\r\n\r\n${`${'\x01'.repeat(900)}\r\n`.repeat(26_000)}`,
		);
		for (let readers = 0; readers < 40; readers++) {
			attacker.leaveUnread(path);
		}
	},
	async '500 open polls and a large mail'(attacker) {
		const inbox = await attacker.inboxWith();
		const mail = `Subject: large\r\n\r\n${'A line of a large mail.\r\n'.repeat(80_000)}`;
		for (let polls = 0; polls < 500; polls++) {
			attacker.leaveUnread(`${inbox.path}?wait=60`).resume();
		}

		await attacker.mail(inbox, mail);
	},
};
