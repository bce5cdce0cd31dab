import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type Bounce, type BouncedMail, pendingBounces} from '../../../../src/domain/mail/bounce.js';
import {
	deliveryStatus,
	feedbackReport,
	recipientsToNotify,
	replyOf,
} from '../../../../src/domain/mail/bounce-report.js';
import {unreadSummary} from '../../../../src/domain/mail/message.js';
import {someInbox, someMessage} from '../../store/rows.js';

const now = new Date('2026-01-02T03:04:05Z');
const bounce: Bounce = {kind: 'bounce', recipients: ['you@box.test'], status: '5.1.1'};
const mail: BouncedMail = {
	envelope: {from: 'app@shop.test', to: ['you@box.test']},
	session: {tls: null, auth: null, client: {host: '192.0.2.1', helo: 'mx.shop.test'}},
	receivedAt: '2026-01-01T00:00:00.000Z',
	summary: unreadSummary,
};

test('a delay report contains the time of the last attempt and the end of the retries', () => {
	expect(deliveryStatus({...bounce, status: '4.2.2'}, mail, 'mx.tinbox.test', now)).toBe(
		[
			'Reporting-MTA: dns; mx.tinbox.test',
			'Received-From-MTA: dns; mx.shop.test',
			'Arrival-Date: Thu, 01 Jan 2026 00:00:00 +0000',
			'',
			'Final-Recipient: rfc822; you@box.test',
			'Action: delayed',
			'Status: 4.2.2',
			'Diagnostic-Code: smtp; 450 4.2.2 Mailbox full',
			'Last-Attempt-Date: Fri, 02 Jan 2026 03:04:05 +0000',
			'Will-Retry-Until: Tue, 06 Jan 2026 00:00:00 +0000',
			'',
		].join('\r\n'),
	);
});

/** Bounces that a mail from the sender to these addresses of one inbox causes. */
function requestedBounces(from: string, to: readonly string[]) {
	const inbox = someInbox({address: '*@box.test'});
	const message = someMessage(inbox.id, {id: 'source', size: 0, head: Buffer.alloc(0)}, {envelope: {from, to}});
	return pendingBounces(message, inbox, to, true);
}

test('a hundred recipients that ask for different bounces cause one report with a group of fields for each', () => {
	const to = Array.from({length: 100}, (_, index) => `x+bounce+550+5.1.1+t${index}@box.test`);
	const bounces = requestedBounces('victim@shop.test', to);
	expect(bounces).toHaveLength(1);
	const [bounced = bounce] = bounces;
	const report = deliveryStatus(bounced, mail, 'mx.tinbox.test', now);
	expect(report.match(/^Final-Recipient: .*$/gm)).toEqual(to.map(address => `Final-Recipient: rfc822; ${address}`));
	expect(report.match(/^Diagnostic-Code: .*$/gm)).toEqual(
		to.map((_, index) => `Diagnostic-Code: smtp; 550 5.1.1 t${index}`),
	);
});

test('recipients that ask for different kinds of answers cause one of each kind', () => {
	const tags = ['bounce', 'bounce-554-5.7.1', 'bounce-450-4.2.2', 'complain', 'autoreply', 'complain'];
	const to = tags.map((tag, index) => `x${index}+${tag}@box.test`);
	const bounces = requestedBounces('a@shop.test', to);
	expect(bounces.map(({kind, recipients}) => [kind, recipients.length])).toEqual([
		['bounce', 2],
		['bounce', 1],
		['complaint', 2],
		['autoreply', 1],
	]);
	expect(bounces[0]?.replies).toEqual({[to[1] ?? '']: expect.objectContaining({status: '5.7.1'})});
});

test.each([
	['5.1.1', '550 5.1.1 User unknown'],
	['5.9.9', '550 5.9.9 Delivery failed'],
	['4.4.1', '450 4.4.1 No answer from host'],
	['4.0.0', '450 4.0.0 Delivery delayed'],
	['2.1.1', '250 2.1.1 Delivered'],
])('the status %s is reported with the reply %s unless the bounce has its own reply', (status, reply) => {
	expect(replyOf({...bounce, status})).toBe(reply);
	expect(replyOf({...bounce, status, reply: '554 5.7.1 Nø\r\n'})).toBe('554 5.7.1 N???');
});

test('a report lists only the recipients whose NOTIFY parameter requests it', () => {
	const recipients = {
		'a@x': {notify: ['NEVER']},
		'b@x': {notify: ['SUCCESS', 'FAILURE']},
		'c@x': {orcpt: 'rfc822;d@x'},
	};
	const all = {...bounce, recipients: ['a@x', 'b@x', 'c@x', 'd@x']};
	expect(recipientsToNotify(all, {recipients})).toEqual(['b@x', 'c@x', 'd@x']);
	expect(recipientsToNotify({...all, status: '4.4.1'}, {recipients})).toEqual(['c@x', 'd@x']);
	expect(recipientsToNotify({...all, status: '2.1.5'}, {recipients})).toEqual(['b@x']);
	expect(recipientsToNotify(all, undefined)).toEqual(all.recipients);
});

const anyText = fc.string({unit: 'binary', maxLength: 60});

test('values from a client add no fields to a report', () => {
	fc.assert(
		fc.property(
			fc.array(anyText, {minLength: 1, maxLength: 4}),
			anyText,
			anyText,
			anyText,
			(recipients, orcpt, envid, helo) => {
				const dsn = {
					envid,
					recipients: Object.fromEntries(recipients.map(address => [address, {orcpt: `utf-8;${orcpt}`}])),
				};
				const session = {tls: null, auth: null, client: {host: helo, helo}};
				const hostileMail = {
					...mail,
					session,
					envelope: {from: envid, to: recipients, dsn},
					summary: {...unreadSummary, from: orcpt},
				};
				const blocks = deliveryStatus({...bounce, recipients}, hostileMail, 'mx.tinbox.test', now).split('\r\n\r\n');
				expect(blocks).toHaveLength(1 + recipients.length);
				for (const line of blocks.join('\r\n').trimEnd().split('\r\n')) {
					expect(line).toMatch(
						/^(?:Original-Envelope-Id|Reporting-MTA|Received-From-MTA|Arrival-Date|Original-Recipient|Final-Recipient|Action|Status|Diagnostic-Code|Last-Attempt-Date): [ -~]*$/,
					);
				}

				const report = feedbackReport(recipients, hostileMail, {host: 'mx.tinbox.test', agent: 'tinbox/1'});
				for (const line of report.trimEnd().split(/\r\n|[\r\n]/)) {
					expect(line).toMatch(
						/^(?:Feedback-Type|User-Agent|Version|Original-Envelope-Id|Original-Mail-From|Original-Rcpt-To|Arrival-Date|Reporting-MTA|Source-IP|Reported-Domain): \P{Cc}*$/u,
					);
				}
			},
		),
	);
});

test('a non-ASCII address can be decoded from its encoding in a report', () => {
	fc.assert(
		fc.property(fc.string({unit: 'grapheme', minLength: 1, maxLength: 60}), local => {
			const address = `ö${local}@box.test`;
			const status = deliveryStatus({...bounce, recipients: [address]}, mail, 'mx.tinbox.test', now);
			const [, encoded = ''] = /^Final-Recipient: utf-8; (.*)$/m.exec(status.replaceAll('\r', '')) ?? [];
			const decoded = encoded.replace(/\\x\{([\dA-F]+)\}/g, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)));
			expect(decoded).toBe(address);
		}),
	);
});
