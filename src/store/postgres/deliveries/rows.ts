import {randomUUID} from 'node:crypto';
import {type Delivery, type Endpoint, weightOfBody} from '../../../domain/webhooks/delivery.js';
import {textOfColumn} from '../row-text.js';

/** From so many characters on, a body that several deliveries have is stored once. */
const sharedFrom = 1024;

/** A delivery but for its body. */
export type DeliveryFields = Omit<Delivery, 'body'>;

/** What the tables have of a delivery, and of the endpoint that it goes to. */
export type StoredDelivery = {readonly row: DeliveryFields; readonly body: string};
export type StoredDue = StoredDelivery & {readonly endpoint: Endpoint};

/** As `jsonb_to_recordset` reads it; the body is in one of both. */
export type GivenDelivery = {
	readonly id: string;
	readonly endpoint_id: string;
	readonly body: string | null;
	readonly body_id: string | null;
	readonly weight: number;
	readonly response: number;
	readonly status: string;
	readonly event: string;
	readonly next_attempt_at: string | null;
	readonly created_at: string;
	readonly row: DeliveryFields;
};

export type GivenBody = {readonly id: string; readonly text: string; readonly uses: number};

export function wholeDelivery({row, body}: StoredDelivery): Delivery {
	return {...row, body: textOfColumn(body)};
}

/** What is stored of new deliveries. */
export function givenOf(deliveries: readonly Delivery[]): {
	readonly rows: readonly GivenDelivery[];
	readonly bodies: readonly GivenBody[];
} {
	const shared = sharedBodies(deliveries);
	return {
		rows: deliveries.map(delivery => {
			const bodyId = shared.get(delivery.body)?.id ?? null;
			return {...changedOf(delivery), body: bodyId === null ? delivery.body : null, body_id: bodyId};
		}),
		bodies: [...shared.values()],
	};
}

/** What changes of a delivery that is there: never its body. */
export function changedOf({body, ...row}: Delivery): Omit<GivenDelivery, 'body' | 'body_id'> {
	const {id, endpointId, status, event, nextAttemptAt, createdAt, responseBody} = row;
	return {
		id,
		endpoint_id: endpointId,
		weight: weightOfBody(body.length),
		response: responseBody?.length ?? 0,
		status,
		event,
		next_attempt_at: nextAttemptAt,
		created_at: createdAt,
		row,
	};
}

function sharedBodies(deliveries: readonly Delivery[]): ReadonlyMap<string, GivenBody> {
	const uses = new Map<string, number>();
	for (const {body} of deliveries) {
		if (body.length >= sharedFrom) {
			uses.set(body, 1 + (uses.get(body) ?? 0));
		}
	}

	const shared = [...uses].filter(([, count]) => count > 1);
	return new Map(shared.map(([text, count]) => [text, {id: randomUUID(), text, uses: count}]));
}
