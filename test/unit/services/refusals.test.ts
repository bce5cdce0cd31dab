import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {User} from '../../../src/domain/accounts/user.js';
import type {Inbox} from '../../../src/domain/mail/inbox.js';
import {maxKept, type NewRefusal, Refusals, type RefusalsOptions} from '../../../src/services/refusals.js';
import {noopObserver} from '../../helpers/resources.js';

const local: User = {id: 'l', name: 'L', email: 'l@localhost', plan: 'free', createdAt: ''};
const other: User = {...local, id: 'o', email: 'o@example.com'};

const inbox: Inbox = {
	id: 'i',
	ownerId: 'o',
	teamId: null,
	name: null,
	address: 'x@tinbox.test',
	routing: 'login',
	generation: 0,
	createdAt: '',
	expiresAt: null,
};

/** Opens refusals with a clock that starts at 0, and the lines of their log. */
function openRefusals(inboxes: RefusalsOptions['inboxes'] = {resolve: async () => undefined, sees: async () => false}) {
	const lines: Array<{readonly fields: object; readonly message: string}> = [];
	let seconds = 0;
	const write = (fields: object, message: string) => void lines.push({fields, message});
	const log = {info: write, warn: write, error: write};
	const logins = {named: async () => undefined};
	const refusals = new Refusals({inboxes, logins, observer: noopObserver, now: () => new Date(seconds * 1000), log});
	return {
		lines,
		refusals,
		pass: (more: number) => {
			seconds += more;
		},
		refuse: (host: string, reason: string, rest: Partial<NewRefusal> = {}) =>
			refusals.add({
				client: {host, helo: 'app'},
				stage: 'rcpt',
				addresses: ['x@tinbox.test'],
				reply: '550 no',
				reason,
				...rest,
			}),
	};
}

test('refusals are listed newest first, up to the limit', () => {
	const {refusals, refuse, pass} = openRefusals();
	refuse('a', '1');
	refuse('a', '2');
	pass(1);
	refuse('b', '3');
	expect(refusals.latest(10).map(({reason}) => reason)).toEqual(['3', '2', '1']);
	expect(refusals.latest(2)).toHaveLength(2);
});

test('a client with many refusals does not displace the refusals of others', () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), {maxLength: 60}), fc.nat(60), (hosts, at) => {
			const {refusals, refuse} = openRefusals();
			const few = hosts.slice(0, 50);
			for (const [index, host] of [...few.entries()]) {
				if (index === Math.min(at, few.length)) {
					for (let flood = 0; flood < 2 * maxKept; flood++) {
						refuse('flood', 'again');
					}
				}

				refuse(host, String(index));
			}

			const kept = refusals.latest(Number.POSITIVE_INFINITY);
			expect(kept.length).toBeLessThanOrEqual(maxKept);
			const others = kept.filter(({client}) => client.host !== 'flood').map(({reason}) => Number(reason));
			expect(others.toSorted((one, next) => one - next)).toEqual(few.map((_, index) => index));
		}),
		{numRuns: 20},
	);
});

test('long texts of refusals are truncated', () => {
	const {refusals, refuse} = openRefusals();
	const long = 'x'.repeat(100_000);
	refuse(long, long, {client: {host: long, helo: long}, addresses: [long], reply: long});
	expect(JSON.stringify(refusals.latest(1)).length).toBeLessThan(2000);
});

test('refusals are logged up to a rate', () => {
	const {lines, refuse, pass} = openRefusals();
	refuse('10.0.0.1', 'no such inbox', {ids: {session: 's1'}});
	expect(lines).toEqual([
		{
			message: 'Rejected RCPT <x@tinbox.test>: no such inbox',
			fields: {session: 's1', client: {host: '10.0.0.1', helo: 'app'}, reply: '550 no'},
		},
	]);
	for (let flood = 0; flood < 5000; flood++) {
		refuse('10.0.0.1', 'again');
	}

	expect(lines).toHaveLength(20);
	pass(10);
	refuse('10.0.0.1', 'once more');
	expect(lines).toHaveLength(21);
	expect(lines[20]?.fields).toMatchObject({untold: 4981});
	pass(-3600);
	for (let flood = 0; flood < 100; flood++) {
		refuse('10.0.0.1', 'again');
	}

	expect(lines).toHaveLength(41);
});

test('the local user sees all refusals since a time, and other users only the refusals of their inboxes', async () => {
	const {refusals, refuse, pass} = openRefusals({resolve: async () => inbox, sees: async () => true});
	refuse('a', 'early');
	pass(60);
	refuse('a', 'rcpt');
	refuse('a', 'data', {stage: 'data'});
	refuse('a', 'mail', {stage: 'mail'});
	refuse('a', 'connect', {stage: 'connect', addresses: [null]});
	const since = new Date(60_000).toISOString();
	const reasonsFor = async (user: User) => (await refusals.of(user, since)).map(({reason}) => reason);
	expect(await reasonsFor(local)).toEqual(['connect', 'mail', 'data', 'rcpt']);
	expect(await reasonsFor(other)).toEqual(['data', 'rcpt']);
});
