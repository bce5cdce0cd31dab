import {expect, test} from 'vitest';
import type {Inbox} from '../../../../src/domain/mail/inbox.js';
import {Recipients} from '../../../../src/services/messages/recipients.js';
import {someInbox} from '../../store/rows.js';

/** Creates recipients over inboxes that tests can change; `lookups` contains the resolved addresses. */
function createRecipients(...inboxes: readonly Inbox[]) {
	const stored = new Map(inboxes.map(inbox => [inbox.id, inbox]));
	const lookups: string[] = [];
	const recipients = new Recipients({
		inboxes: {
			resolve: async address => {
				lookups.push(address);
				const exact = [...stored.values()].find(inbox => inbox.address === address);
				return exact ?? [...stored.values()].find(inbox => inbox.address === '*');
			},
			unexpired: async id => stored.get(id),
		},
		quotas: {mail: {assertRoom: async () => {}} as never},
		deliveryPlanner: {count: async () => 0},
	});
	return {recipients, stored, lookups};
}

test('an accepted recipient is resolved once, and its inbox is read again before the commit', async () => {
	const inbox = someInbox({address: 'ann@box.test', teamId: 'team'});
	const {recipients, stored, lookups} = createRecipients(inbox);
	const mail = {};
	const to = ['ann@box.test'];
	expect(await recipients.accept('ann@box.test', mail)).toBe(true);
	const accepted = recipients.inboxesFor(to, mail);
	stored.set(inbox.id, {...inbox, teamId: null});
	expect(await recipients.recheck({envelope: {to}, recipients: accepted})).toEqual([
		{inbox: {...inbox, teamId: null}, to: 'ann@box.test', recipients: to},
	]);
	expect(lookups).toEqual(to);
});

test('recipients of one inbox share one message, and rejected recipients have none', async () => {
	const inbox = someInbox({address: '*'});
	const {recipients} = createRecipients(inbox);
	const mail = {};
	for (const address of ['a@box.test', 'b@box.test', 'c@box.test']) {
		await recipients.accept(address, mail);
	}

	expect(recipients.inboxesFor(['a@box.test', 'c@box.test'], mail)).toEqual([
		{inbox, to: 'a@box.test', recipients: ['a@box.test', 'c@box.test']},
	]);
	expect(recipients.inboxesFor(['a@box.test'], {})).toEqual([]);
});

test('if an inbox was deleted since RCPT, its recipients are resolved again', async () => {
	const [exact, rest] = [someInbox({address: 'ann@box.test'}), someInbox({address: '*'})];
	const {recipients, stored} = createRecipients(exact, rest);
	const mail = {};
	const envelope = {to: ['ann@box.test', 'bob@box.test']};
	for (const address of envelope.to) {
		await recipients.accept(address, mail);
	}

	const accepted = recipients.inboxesFor(envelope.to, mail);
	stored.delete(exact.id);
	expect(await recipients.recheck({envelope, recipients: accepted})).toEqual([
		{inbox: rest, to: 'ann@box.test', recipients: envelope.to},
	]);
	stored.clear();
	expect(await recipients.recheck({envelope, recipients: accepted})).toEqual([]);
});

test('mail of a login whose inbox was deleted since RCPT is rejected, whatever its recipients are', async () => {
	const [own, rest] = [someInbox({address: 'ann@box.test', routing: 'login'}), someInbox({address: '*'})];
	const {recipients, stored} = createRecipients(own, rest);
	const mail = {};
	const envelope = {to: ['bob@box.test']};
	await recipients.accept('bob@box.test', mail, own.id);
	const accepted = recipients.inboxesFor(envelope.to, mail);
	expect(accepted).toMatchObject([{inbox: own}]);
	stored.delete(own.id);
	await expect(recipients.recheck({envelope, recipients: accepted, inboxId: own.id})).rejects.toMatchObject({
		code: 'not_found',
		message: 'The inbox of this login was deleted.',
	});
});
