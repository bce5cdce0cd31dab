import fc from 'fast-check';
import {expect, test} from 'vitest';
import {findings, matches} from '../../../../../src/contract/constants.js';
import {listRead, shownList, shownRows} from '../../../../../src/ui/web/actions/message-list.js';
import {hrefOf, messageTabs, type Route, routeOf} from '../../../../../src/ui/web/state/route.js';
import {initialState} from '../../../../../src/ui/web/state/state.js';

const text = fc.string({minLength: 1, unit: 'binary'});
const id = text.filter(text => !['.', '..'].includes(text));
const texts = fc.array(text, {minLength: 1, maxLength: 3});
const unknownFilter = fc.oneof(
	fc.constantFrom('nope', 'since', '__proto__', ''),
	text.map(name => `x-${name}`),
);
const filter = fc.record(
	{
		q: text,
		subject: text,
		from: text,
		to: text,
		contains: text,
		smtp_user: text,
		after: text,
		header: texts,
		link: texts,
		has: fc.subarray([...findings], {minLength: 1}),
		match: fc.constantFrom(...matches),
		tls: fc.boolean(),
		invalid: fc.array(fc.tuple(unknownFilter, text), {minLength: 1, maxLength: 3}),
	},
	{requiredKeys: []},
);
const open = fc.record({inboxId: id, messageId: id, tab: fc.option(fc.constantFrom(...messageTabs), {nil: undefined})});
/** An optional id with an optional id below it. */
const ids = fc.array(id, {maxLength: 2});
const route: fc.Arbitrary<Route> = fc.oneof(
	fc.constant({screen: 'inboxes'} as const),
	fc
		.tuple(fc.option(id), ids)
		.map(([inboxId, [faultId, hitId]]) => ({screen: 'faults' as const, inboxId, faultId, hitId})),
	ids.map(([endpointId, deliveryId]) => ({screen: 'webhooks' as const, endpointId, deliveryId})),
	fc.record({
		screen: fc.constant('mail' as const),
		inboxId: fc.constant(undefined),
		open: fc.option(open, {nil: undefined}),
		filter,
	}),
	fc.tuple(id, fc.option(open, {nil: undefined}), filter).map(([inboxId, open, filter]) => ({
		screen: 'mail' as const,
		inboxId,
		open: open && {...open, inboxId},
		filter,
	})),
);

test('every route round-trips through its URL', () => {
	fc.assert(
		fc.property(route, expected => {
			const {pathname, search} = new URL(hrefOf(expected), 'http://127.0.0.1:8025');
			expect(routeOf({pathname, search})).toEqual(expected);
		}),
	);
});

test.each([
	['/app/', '', {screen: 'inboxes'}],
	['/app/inboxes', '', {screen: 'inboxes'}],
	['/app/webhooks', '', {screen: 'webhooks', endpointId: undefined, deliveryId: undefined}],
	['/app/mail/in1', '?q=&has=', {screen: 'mail', inboxId: undefined, open: undefined, filter: {}}],
])('the URL %s%s is parsed as the route %j', (pathname, search, expected) => {
	expect(routeOf({pathname, search})).toEqual(expected);
});

test.each(['nope', 'inboxes/%', 'inboxes/in1/nope', 'inboxes/in1/messages/m/x', 'mail/in1/m/x', 'webhooks/e/d/x'])(
	'/app/%s is an unknown path that keeps its URL',
	path => {
		const route = routeOf({pathname: `/app/${path}`, search: '?x=1'});
		expect(route).toEqual({screen: 'nowhere', href: `/app/${path}?x=1`});
		expect(hrefOf(route)).toBe(`/app/${path}?x=1`);
	},
);

test.each([
	['has=foo', '"has" must be "code" or "link".'],
	['has=code&has=foo', '"has" must be "code" or "link".'],
	['tls=maybe', '"tls" must be "true" or "false".'],
	['match=x&subject=a', '"match" must be "text" or "pattern" or "exact".'],
	['q=a&q=b', '"q" must be a single value.'],
	['since=tomorrow', 'Unknown filter "since". Supported: q, subject, from'],
	['tls=maybe&has=foo', '"tls" must be "true" or "false". "has" must be "code" or "link".'],
])('the invalid URL query %s is reported, and no messages are requested', (search, message) => {
	const route = routeOf({pathname: '/app/mail', search});
	const state = {...initialState(route), revision: 1};
	expect(shownList(state).problem?.message).toContain(message);
	expect([listRead(state), shownRows(state).isRead]).toEqual([undefined, true]);
	expect(new URLSearchParams(new URL(hrefOf(route), 'http://a').search).size).toBe(new URLSearchParams(search).size);
});
