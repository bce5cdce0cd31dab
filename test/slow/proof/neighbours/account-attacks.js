import {setTimeout as sleep} from 'node:timers/promises';

/** @typedef {import('./attacks.js').AttackFunction} AttackFunction */

/**
 * Attacks that create, change and delete inboxes, messages and teams.
 * @type {Record<string, AttackFunction>}
 */
export const accountAttacks = {
	async 'endless creation of inboxes'(attacker) {
		attacker.repeat(32, turn =>
			turn % 8 === 0 ? attacker.ask('GET', '/inboxes?limit=100') : attacker.ask('POST', '/inboxes', {}),
		);
	},
	async 'inboxes with a lifetime of one second'(attacker) {
		attacker.repeat(16, async () => {
			const inbox = await attacker.client.json('POST', '/inboxes', {ttl: 1});
			await attacker.mail({id: inbox.id, address: inbox.email_address}, 'Subject: gone\r\n\r\nx');
		});
	},
	async 'address claims in several notations'(attacker) {
		attacker.repeat(32, async turn => {
			const local = ['"claim"', 'Claim', 'claim+tag', 'c.laim'][turn % 4];
			const domain = ['shop.test', 'Shop.Test.', 'bücher.test', 'xn--bcher-kva.test', `${'ü'.repeat(60)}.test`][
				turn % 5
			];
			const inbox = await attacker.client.json('POST', '/inboxes', {email_address: `${local}@${domain}`});
			await attacker.ask('DELETE', `/inboxes/${inbox.id}`);
		});
	},
	async 'mass deletion of messages'(attacker) {
		attacker.repeat(32, async () => {
			const {id, path, ids} = await attacker.inboxWith(...Array(10).fill('Subject: gone\r\n\r\nx'));
			await Promise.all(ids.map(message => attacker.ask('DELETE', `${path}/${message}`)));
			await attacker.ask('DELETE', `/inboxes/${id}`);
		});
	},
	async 'creation and deletion of teams'(attacker) {
		attacker.repeat(16, async turn => {
			const team = await attacker.client.json('POST', '/teams', {name: 'worst'});
			const invites = Array.from({length: 20}, (_, index) => ({email: `a${turn}-${index}@b.test`}));
			await Promise.all(invites.map(invite => attacker.ask('POST', `/teams/${team.id}/invite`, invite)));
			await attacker.ask('POST', '/teams/invites/accept', {token: 'guessed'});
			await attacker.ask('GET', '/teams');
			await attacker.ask('DELETE', `/teams/${team.id}`);
		});
	},
	async 'event streams that replay all events'(attacker) {
		const inbox = await attacker.inboxWith(...Array(100).fill('Subject: x\r\n\r\nx'));
		const team = await attacker.client.json('POST', '/teams', {name: 'worst'});
		attacker.repeat(4, turn =>
			attacker.ask('PATCH', `/inboxes/${inbox.id}`, {team_id: turn % 2 === 0 ? team.id : null}),
		);
		attacker.client.headers['last-event-id'] = '1';
		attacker.repeat(50, async () => {
			const stream = attacker.leaveUnread('/events').resume();
			await sleep(50);
			stream.destroy();
		});
	},
};
