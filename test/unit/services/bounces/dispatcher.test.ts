import {expect, onTestFinished, test, vi} from 'vitest';
import {AppError} from '../../../../src/domain/errors.js';
import type {Message} from '../../../../src/domain/mail/message.js';
import type {NewInbox} from '../../../../src/services/inboxes/inboxes.js';
import type {Store} from '../../../../src/store/port.js';
import {mail, openTinbox, type Person, type Tinbox, type TinboxOptions} from '../../../helpers/tinbox.js';

const plain = {name: null, teamId: null, ttlSeconds: null};
const sender = 'app@shop.test';

/** Opens a daemon with the inbox of the sender and an inbox for `*@box.test`. */
async function openPair(inbox: Partial<NewInbox>, options: TinboxOptions = {}) {
	const tinbox = await openTinbox(options);
	const ann = await tinbox.user('ann', 'localhost');
	await tinbox.services.inboxes.create(ann.user, {...plain, address: sender});
	await tinbox.services.inboxes.create(ann.user, {...plain, address: '*@box.test', ...inbox});
	return {tinbox, ann};
}

async function returnedMessages({services}: Tinbox, {user}: Person): Promise<readonly Message[]> {
	return services.messages.list(user, sender, {}, {page: 1, limit: 100});
}

/** Subjects of the returned messages once there are `count`. */
async function subjects(tinbox: Tinbox, ann: Person, count: number) {
	return vi.waitFor(async () => {
		const messages = await returnedMessages(tinbox, ann);
		expect(messages).toHaveLength(count);
		return messages.map(({summary}) => summary.subject).sort();
	});
}

async function expectNoBounces({store}: Tinbox): Promise<void> {
	await vi.waitFor(async () => expect(await store.bounces.nextDue('')).toBeUndefined());
}

async function sourceOf({services}: Tinbox, {user}: Person): Promise<string> {
	return String(await services.messages.raw(user, sender, 'latest', {start: 0, end: 100_000}));
}

test('an inbox bounces each mail once, with all recipients', async () => {
	const {tinbox, ann} = await openPair({bounce: {status: '5.2.2', delayMs: 0}});
	await tinbox.deliver(['you@box.test', 'them@box.test'], mail('One'), sender);
	expect(await subjects(tinbox, ann, 1)).toEqual(['Undelivered Mail Returned to Sender']);
	const source = await sourceOf(tinbox, ann);
	expect(source.match(/^(Final-Recipient|Status): .*$/gm)).toEqual([
		'Final-Recipient: rfc822; you@box.test',
		'Status: 5.2.2',
		'Final-Recipient: rfc822; them@box.test',
		'Status: 5.2.2',
	]);
	await tinbox.deliver('you@box.test', mail('Two'), sender);
	await subjects(tinbox, ann, 2);
	await expectNoBounces(tinbox);
});

test('an inbox does not bounce mail after its bounce was removed', async () => {
	const {tinbox, ann} = await openPair({bounce: {status: '5.1.1', delayMs: 0}});
	await tinbox.services.inboxes.update(ann.user, '*@box.test', {bounce: null});
	await tinbox.deliver('you@box.test', mail('One'), sender);
	expect(await tinbox.store.bounces.nextDue('')).toBeUndefined();
});

test('two inboxes that bounce do not bounce the bounces of each other', async () => {
	const {tinbox, ann} = await openPair({bounce: {status: '5.1.1', delayMs: 0}});
	await tinbox.services.inboxes.update(ann.user, sender, {bounce: {status: '5.1.1', delayMs: 0}});
	await tinbox.deliver('you@box.test', mail('One'), sender);
	await subjects(tinbox, ann, 1);
	await expectNoBounces(tinbox);
	expect(await returnedMessages(tinbox, ann)).toHaveLength(1);
	expect(await tinbox.services.messages.list(ann.user, '*@box.test', {}, {page: 1, limit: 9})).toHaveLength(1);
});

test('a bounce is sent after its delay, also if the daemon was restarted meanwhile', async () => {
	let now = new Date('2026-01-01T12:00:00Z');
	const {tinbox, ann} = await openPair({bounce: {status: '5.1.1', delayMs: 60_000}}, {now: () => now});
	await tinbox.deliver('you@box.test', mail('One'), sender);
	expect(await tinbox.store.bounces.nextDue('')).toBe('2026-01-01T12:01:00.000Z');
	now = new Date('2026-01-01T12:00:59Z');
	const second = await tinbox.restart();
	expect(await second.store.bounces.nextDue('')).toBe('2026-01-01T12:01:00.000Z');
	expect(await returnedMessages(second, ann)).toEqual([]);
	now = new Date('2026-01-01T12:01:00Z');
	const third = await second.restart();
	onTestFinished(async () => third.close());
	await subjects(third, ann, 1);
});

test.each(['storage_full', 'unavailable'] as const)('a bounce that cannot be stored (%s) is retried', async code => {
	let isFull = false;
	const full = (store: Store): Store => ({
		...store,
		messages: {
			...store.messages,
			async add(mail) {
				if (isFull && mail.messages.some(({envelope}) => envelope.from === '')) {
					isFull = false;
					await store.sources.discard(mail.source);
					throw new AppError(code, 'Not now.');
				}

				await store.messages.add(mail);
			},
		},
	});
	const {tinbox, ann} = await openPair({bounce: {status: '5.1.1', delayMs: 0}}, {wrapStore: full});
	isFull = true;
	await tinbox.deliver('you@box.test', mail('One'), sender);
	await subjects(tinbox, ann, 1);
});

test('an undeliverable bounce is dropped', async () => {
	const {tinbox} = await openPair({bounce: {status: '5.1.1', delayMs: 0}});
	await tinbox.deliver('you@box.test', mail('One'), 'stranger@elsewhere.test');
	await expectNoBounces(tinbox);
});

test('simulator addresses bounce, complain and reply like the simulator', async () => {
	const {tinbox, ann} = await openPair({simulator: true, bounce: {status: '5.7.1', delayMs: 86_400_000}});
	await tinbox.deliver('success@box.test', mail('None'), sender);
	await tinbox.deliver(
		['Bounce+label@box.test', 'complaint@box.test', 'ooto@box.test', 'suppressionlist@box.test'],
		mail('Hello'),
		sender,
	);
	expect(await subjects(tinbox, ann, 3)).toEqual([
		'Auto: Hello',
		'Complaint about: Hello',
		'Undelivered Mail Returned to Sender',
	]);
	await tinbox.deliver('you@box.test', mail('Late'), sender);
	expect(await tinbox.store.bounces.nextDue('')).toBeDefined();
});

test('simulator addresses have no effect in an inbox without a simulator', async () => {
	const {tinbox} = await openPair({});
	await tinbox.deliver(['bounce@box.test', 'complaint@box.test'], mail('Hello'), sender);
	expect(await tinbox.store.bounces.nextDue('')).toBeUndefined();
});

test('an address can request a bounce, a complaint or a reply', async () => {
	const {tinbox, ann} = await openPair({bounce: {status: '5.2.2', delayMs: 86_400_000}});
	await tinbox.deliver('you+bounce+552+5.2.2+over+quota@box.test', mail('One'), sender);
	await subjects(tinbox, ann, 1);
	expect(await sourceOf(tinbox, ann)).toContain('Status: 5.2.2\r\nDiagnostic-Code: smtp; 552 5.2.2 over quota\r\n');
	await tinbox.deliver(['you+complain@box.test', 'you+autoreply@box.test'], mail('Two'), sender);
	await subjects(tinbox, ann, 3);
	await expectNoBounces(tinbox);
});

test.each<[string, Partial<NewInbox>, TinboxOptions]>([
	['if they are disabled', {}, {settings: {noFaultAddresses: true}}],
	['if an inbox claims them', {address: 'you+bounce@box.test'}, {}],
])('bounce addresses have no effect %s', async (_condition, inbox, options) => {
	const {tinbox} = await openPair(inbox, options);
	await tinbox.deliver('you+bounce@box.test', mail('One'), sender);
	expect(await tinbox.store.bounces.nextDue('')).toBeUndefined();
});
