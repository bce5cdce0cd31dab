import {describe, expect, test} from 'vitest';
import type {FullMessageBody} from '../../../../../src/contract/messages.js';
import {
	cachedMessage,
	countOf,
	isWanted,
	partOf,
	shownTab,
	withCachedEvents,
	withoutFailures,
	withPart,
	withStalePart,
} from '../../../../../src/ui/web/actions/open-message.js';
import {type MessageState, noMessage} from '../../../../../src/ui/web/state/state.js';
import {deliveryBody, endpointBody, messageBody} from '../../../../helpers/bodies.js';

const received = '2026-01-01T12:00:00.000Z';

function message(id: string, fields: Partial<FullMessageBody> = {}): FullMessageBody {
	return messageBody({id, inbox_id: 'inbox', text: 'Hello', html: '', received_at: received, ...fields});
}

const at = (messageId: string) => ({inboxId: 'inbox', messageId});

function opened(state: MessageState, id: string, fields: Partial<FullMessageBody> = {}): MessageState {
	return withPart(state, at(id), 'message', {status: 'read', value: message(id, fields)});
}

describe('the cache of opened messages', () => {
	test('keeps every loaded part of a message', () => {
		const state = withPart(opened(noMessage, 'a'), at('a'), 'source', {status: 'read', value: 'Subject: a'});
		const other = opened(state, 'b');
		expect(partOf(other, at('a'), 'source')).toEqual({status: 'read', value: 'Subject: a'});
		expect(partOf(other, at('a'), 'message')).toMatchObject({value: {id: 'a'}});
		expect(partOf(other, at('c'), 'message')).toBeUndefined();
		expect(partOf(other, {inboxId: 'other', messageId: 'a'}, 'message')).toBeUndefined();
	});

	test('keeps a limited number of messages and drops the oldest', () => {
		const ids = Array.from({length: 25}, (_, index) => String(index));
		const state = ids.reduce((before, id) => opened(before, id), opened(noMessage, 'first'));
		expect(state.cached.map(({messageId}) => messageId)).toEqual(ids.slice(5).reverse());
		const again = opened(state, '10');
		expect(again.cached[0]?.messageId).toBe('10');
		expect(again.cached).toHaveLength(20);
	});

	test('keeps fewer large messages, and always the open message', () => {
		const size = 20 * 1024 * 1024;
		const two = opened(opened(noMessage, 'a', {size}), 'b', {size: 2 * size});
		expect(two.cached.map(({messageId}) => messageId)).toEqual(['b', 'a']);
		const three = opened(two, 'c');
		expect(three.cached.map(({messageId}) => messageId)).toEqual(['c']);
	});
});

describe('a message part', () => {
	test('is requested until it is loaded, and again if it is stale', () => {
		expect(isWanted(undefined)).toBe(true);
		expect(isWanted({status: 'read', value: 1})).toBe(false);
		expect(isWanted({status: 'read', value: 1, isStale: true})).toBe(true);
	});

	test('is requested again after a failure on demand or after a reconnection, unless the message was deleted', () => {
		const failed = {status: 'failed', reason: 'Away.', kind: 'unanswered'} as const;
		const state = withPart(opened(noMessage, 'a'), at('a'), 'source', failed);
		expect(isWanted(partOf(state, at('a'), 'source'))).toBe(false);
		expect(isWanted(partOf(withStalePart(state, at('a'), 'source'), at('a'), 'source'))).toBe(true);
		const again = withoutFailures(state);
		expect(isWanted(partOf(again, at('a'), 'source'))).toBe(true);
		expect(partOf(again, at('a'), 'message')).toBe(partOf(state, at('a'), 'message'));
		const gone = withPart(noMessage, at('a'), 'message', {...failed, kind: 'gone'});
		expect(withoutFailures(gone)).toBe(gone);
		expect(withoutFailures(again)).toBe(again);
	});

	test('is requested again if it changes before it is loaded', () => {
		const state = withStalePart(noMessage, at('a'), 'history');
		const part = partOf(state, at('a'), 'history');
		expect(isWanted(part)).toBe(true);
		expect(partOf(withStalePart(state, at('a'), 'history'), at('a'), 'history')).not.toBe(part);
	});

	test('is shown while stale until it is loaded again', () => {
		const state = withStalePart(opened(noMessage, 'a'), at('a'), 'message');
		expect(partOf(state, at('a'), 'message')).toMatchObject({value: {id: 'a'}, isStale: true});
		expect(isWanted(partOf(state, at('a'), 'message'))).toBe(true);
	});
});

describe('live feed events', () => {
	const state = opened(opened(noMessage, 'a'), 'b');

	test('mark an evicted message as gone because of the limits of its inbox', () => {
		const gone = {type: 'message.deleted', inbox_id: 'inbox', message_id: 'a', message_count: 1} as const;
		const state = withCachedEvents(opened(noMessage, 'a'), [{...gone, reason: 'evicted'}]);
		const reason = 'It exceeded the number or age of messages that the inbox keeps.';
		expect(partOf(state, at('a'), 'message')).toMatchObject({status: 'failed', reason});
	});

	test('mark deleted messages as gone and reload messages of emptied inboxes', () => {
		const after = withCachedEvents(state, [
			{type: 'message.deleted', inbox_id: 'inbox', message_id: 'a', message_count: 1},
		]);
		expect(cachedMessage(after, at('a'))?.parts).toMatchObject({message: {status: 'failed', kind: 'gone'}});
		expect(partOf(after, at('b'), 'message')).toBe(partOf(state, at('b'), 'message'));
		for (const type of ['messages.deleted', 'inbox.deleted'] as const) {
			const emptied = withCachedEvents(state, [{type, inbox_id: 'inbox', message_count: 0}]);
			expect(cachedMessage(emptied, at('b'))?.parts).toEqual({});
			expect(withCachedEvents(state, [{type, inbox_id: 'other', message_count: 0}])).toBe(state);
		}
	});

	test('apply to a message whose URL contains an alias', () => {
		const latest = withPart(noMessage, {inboxId: 'signup@tinbox.test', messageId: 'latest'}, 'message', {
			status: 'read',
			value: message('a'),
		});
		const [cached] = withCachedEvents(latest, [
			{type: 'message.deleted', inbox_id: 'inbox', message_id: 'a', message_count: 0},
		]).cached;
		expect(cached?.parts).toMatchObject({message: {kind: 'gone'}});
	});

	test('change shown deliveries immediately and mark them as stale', () => {
		const delivery = deliveryBody({id: 'delivery', status: 'pending', created_at: received});
		const endpoint = endpointBody({id: 'endpoint'});
		const withDelivery = withPart(state, at('b'), 'deliveries', {status: 'read', value: [{endpoint, delivery}]});
		const delivered = {...delivery, status: 'delivered', attempts: 1, response_status: 200} as const;
		const after = withCachedEvents(withDelivery, [
			{type: 'delivery.changed', endpoint_id: 'endpoint', delivery: delivered},
		]);
		expect(partOf(after, at('b'), 'deliveries')).toMatchObject({value: [{delivery: delivered}], isStale: true});

		const other = {...delivery, id: 'other'};
		const event = {type: 'delivery.changed', endpoint_id: 'endpoint', delivery: other} as const;
		expect(partOf(withCachedEvents(withDelivery, [event]), at('b'), 'deliveries')).toMatchObject({isStale: true});
		const unread = partOf(withCachedEvents(state, [event]), at('b'), 'deliveries');
		expect(unread).toEqual({status: 'unread'});
		const later = {...event, delivery: {...other, created_at: '2026-01-01T12:00:01.000Z'}};
		expect(withCachedEvents(withDelivery, [later])).toBe(withDelivery);
	});
});

describe('the tab of a message', () => {
	test('defaults to HTML, else text, or the source for a mail that could not be parsed', () => {
		expect(shownTab(message('a', {html: '<p>Hello'}))).toBe('html');
		expect(shownTab(message('a'))).toBe('text');
		expect(shownTab(message('a', {text: ''}))).toBe('text');
		expect(shownTab(message('a', {text: '', warnings: ['The mail could not be read.']}))).toBe('source');
	});

	test('is the requested tab if the message has it', () => {
		expect(shownTab(message('a', {html: '<p>Hello'}), 'source')).toBe('source');
		expect(shownTab(message('a'), 'html')).toBe('text');
		expect(shownTab(message('a'), 'attachments')).toBe('attachments');
	});

	test('shows the number of its items', () => {
		const body = message('a', {codes: ['482193'], links: [{url: 'https://x.test/', text: ''}]});
		expect(countOf('codes', body)).toBe(2);
		expect(countOf('attachments', body)).toBe(0);
		expect(countOf('text', body)).toBeUndefined();
	});
});
