import {fieldsOf} from '../../../../contract/field-names.js';
import {clockColumn, type TableColumn} from '../../../output/table.js';

/** What `webhooks listen` prints of a request. */
export type ReceivedWebhook = {
	readonly received_at: string;
	readonly event: string;
	readonly delivery_id: string;
	/** What was wrong with its signatures; null when both were right. */
	readonly error: string | null;
	/** The status that it was answered with. */
	readonly response_status: number;
	/** Why it could not be forwarded; null when it was, or was not meant to be. */
	readonly forward_error: string | null;
	/** The body: what its JSON says, or else its text. */
	readonly payload: unknown;
};

export const eventFields = fieldsOf<ReceivedWebhook>()(
	'received_at event delivery_id error response_status forward_error payload',
);

export const eventColumns: readonly TableColumn<ReceivedWebhook>[] = [
	clockColumn('RECEIVED', event => event.received_at),
	{header: 'EVENT', value: event => event.event},
	{header: 'DELIVERY', value: event => event.delivery_id},
	{header: 'RESPONSE', value: event => String(event.response_status)},
	{header: 'SIGNATURE', value: event => event.error ?? 'verified'},
	{
		header: 'FROM',
		value: event => textOf(messageOf(event), 'from') || textOf(memberOf(hitOf(event), 'envelope'), 'from'),
	},
	{header: 'SUBJECT OR REPLY', value: event => textOf(messageOf(event), 'subject') || textOf(hitOf(event), 'reply')},
	{header: 'FORWARD ERROR', value: event => event.forward_error ?? ''},
];

/** A test delivery has the fields of the message in the payload itself. */
function messageOf({payload}: ReceivedWebhook): unknown {
	return memberOf(payload, 'message') ?? payload;
}

function hitOf({payload}: ReceivedWebhook): unknown {
	return memberOf(payload, 'hit');
}

function textOf(value: unknown, name: string): string {
	const member = memberOf(value, name);
	return typeof member === 'string' ? member : '';
}

function memberOf(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null
		? Object.entries(value).find(([key]) => key === name)?.[1]
		: undefined;
}
