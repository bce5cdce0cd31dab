import {expectTypeOf, test} from 'vitest';
import type {z} from 'zod';
import type {ListQuery} from '../../src/client/messages.js';
import type {DeliveryQuery} from '../../src/client/webhooks.js';
import type {CreateInbox, createInbox, UpdateInbox, updateInbox} from '../../src/contract/inboxes.js';
import type {listMessages} from '../../src/contract/messages.js';
import type {
	CreateEndpoint,
	createEndpoint,
	listDeliveries,
	UpdateEndpoint,
	updateEndpoint,
} from '../../src/contract/webhooks.js';

/** What a schema takes. */
type Input<Schema extends z.ZodType> = Readonly<z.input<Schema>>;

// The types of the package's client must do without zod, so those that it needs are written out in the contract.
test('the types of bodies are what their schemas take', () => {
	expectTypeOf<CreateInbox>().toEqualTypeOf<Input<typeof createInbox>>();
	expectTypeOf<UpdateInbox>().toEqualTypeOf<Input<typeof updateInbox>>();
	expectTypeOf<CreateEndpoint>().toEqualTypeOf<Input<typeof createEndpoint>>();
	expectTypeOf<UpdateEndpoint>().toEqualTypeOf<Input<typeof updateEndpoint>>();
});

test('the types of queries have the parameters of their schemas', () => {
	expectTypeOf<keyof ListQuery>().toEqualTypeOf<keyof Input<typeof listMessages>>();
	expectTypeOf<ListQuery['match']>().toEqualTypeOf<Input<typeof listMessages>['match']>();
	expectTypeOf<keyof DeliveryQuery>().toEqualTypeOf<keyof Input<typeof listDeliveries>>();
	expectTypeOf<DeliveryQuery['status']>().toEqualTypeOf<Input<typeof listDeliveries>['status']>();
	expectTypeOf<DeliveryQuery['event']>().toEqualTypeOf<Input<typeof listDeliveries>['event']>();
});
