import type {RefusalBody} from '../../src/contract/daemon.js';
import type {FaultBody, FaultHitBody} from '../../src/contract/faults.js';
import type {InboxBody} from '../../src/contract/inboxes.js';
import type {FullMessageBody} from '../../src/contract/messages.js';
import type {DeliveryBody, EndpointBody} from '../../src/contract/webhooks.js';

/** An inbox as in the API. */
export function inboxBody(fields: Partial<InboxBody> = {}): InboxBody {
	return {
		id: 'inbox-1',
		email_address: 'signup@tinbox.test',
		name: 'signup',
		message_count: 2,
		team_id: null,
		routing: 'login',
		bounce: null,
		simulator: false,
		keep: null,
		keep_for: null,
		evicted: 0,
		expires_at: null,
		created_at: '2026-01-01T11:55:00.000Z',
		...fields,
	};
}

/** A message as in the API. */
export function messageBody(fields: Partial<FullMessageBody> = {}): FullMessageBody {
	return {
		id: 'message-1',
		inbox_id: 'inbox-1',
		from: 'shop@example.com',
		from_name: null,
		to: 'signup@tinbox.test',
		cc: [],
		reply_to: [],
		recipients: {to: [{name: null, address: 'signup@tinbox.test'}], cc: [], reply_to: []},
		date: null,
		subject: 'Welcome',
		text: 'Hello.\n',
		html: '<p>Hello.</p>',
		size: 512,
		attachments: [],
		message_id: 'abc@example.com',
		envelope: {from: 'shop@example.com', to: ['signup@tinbox.test']},
		session: null,
		warnings: [],
		received_at: '2026-01-01T11:59:56.000Z',
		headers: [],
		codes: [],
		links: [],
		...fields,
	};
}

/** A refusal as in the API. */
export function refusalBody(fields: Partial<RefusalBody> = {}): RefusalBody {
	return {
		time: '2026-01-01T11:59:58.000Z',
		client: {host: '127.0.0.1', helo: 'app'},
		stage: 'rcpt',
		address: 'nobody@tinbox.test',
		reply: '550 5.1.1 <nobody@tinbox.test>: no such inbox',
		reason: 'no such inbox',
		...fields,
	};
}

/** A webhook endpoint as in the API. */
export function endpointBody(fields: Partial<EndpointBody> = {}): EndpointBody {
	return {
		id: 'endpoint-1',
		url: 'http://127.0.0.1:3000/hook',
		format: 'tinbox',
		verification_key: null,
		events: ['message.received'],
		is_active: true,
		created_at: '2026-01-01T11:55:00.000Z',
		...fields,
	};
}

/** A delivery as in the log of its endpoint. */
export function deliveryBody(fields: Partial<DeliveryBody> = {}): DeliveryBody {
	return {
		id: 'delivery-1',
		webhook_endpoint_id: 'endpoint-1',
		event: 'message.received',
		payload: {event: 'message.received'},
		status: 'delivered',
		attempts: 1,
		last_attempt_at: '2026-01-01T11:59:57.000Z',
		response_status: 200,
		response_body: 'ok',
		created_at: '2026-01-01T11:59:56.000Z',
		...fields,
	};
}

/** A fault as in the API. */
export function faultBody(fields: Partial<FaultBody> = {}): FaultBody {
	return {
		id: 'fault-1',
		inbox_id: 'inbox-1',
		name: 'greylist',
		stage: 'rcpt',
		match: null,
		reply: '451 4.7.1 Greylisted, try again later',
		times: 1,
		after: null,
		per: 'recipient',
		delay_ms: null,
		byte_delay_ms: null,
		drop: null,
		rate: null,
		probability: null,
		seed: null,
		ttl: null,
		expires_at: null,
		created_at: '2026-01-01T11:55:00.000Z',
		seen: 1,
		hit_count: 1,
		...fields,
	};
}

/** A fault hit as in the API. */
export function faultHitBody(fields: Partial<FaultHitBody> = {}): FaultHitBody {
	return {
		id: 'hit-1',
		fault_id: 'fault-1',
		name: 'greylist',
		inbox_id: 'inbox-1',
		time: '2026-01-01T11:59:58.000Z',
		stage: 'rcpt',
		client: {host: '127.0.0.1', helo: 'app'},
		user: null,
		envelope: {from: 'shop@example.com', to: ['signup@tinbox.test']},
		reply: '451 4.7.1 Greylisted, try again later',
		drop: null,
		delay_ms: 0,
		message_id: null,
		...fields,
	};
}
