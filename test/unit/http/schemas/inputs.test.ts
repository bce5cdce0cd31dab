import {describe, expectTypeOf, test} from 'vitest';
import type {z} from 'zod';
import type {CreateBounce, CreateReply} from '../../../../src/contract/bounces.js';
import type {CreateInbox, ListInboxes, UpdateInbox} from '../../../../src/contract/inboxes.js';
import type {CreateKey} from '../../../../src/contract/keys.js';
import type {ListMessages} from '../../../../src/contract/messages.js';
import type {AcceptInvite, CreateInvite, CreateTeam, RenameTeam} from '../../../../src/contract/teams.js';
import type {CreateToken, CreateUser, UpdateUser} from '../../../../src/contract/users.js';
import type {CreateEndpoint, ListDeliveries, UpdateEndpoint} from '../../../../src/contract/webhooks.js';
import type {createBounce, createReply} from '../../../../src/http/schemas/bounces.js';
import type {createInbox, listInboxes, updateInbox} from '../../../../src/http/schemas/inboxes.js';
import type {createKey} from '../../../../src/http/schemas/keys.js';
import type {listMessages} from '../../../../src/http/schemas/messages.js';
import type {acceptInvite, createInvite, createTeam, renameTeam} from '../../../../src/http/schemas/teams.js';
import type {createToken, createUser, updateUser} from '../../../../src/http/schemas/users.js';
import type {createEndpoint, listDeliveries, updateEndpoint} from '../../../../src/http/schemas/webhooks.js';

/** What a schema takes. */
type Input<Schema extends z.ZodType> = Readonly<z.input<Schema>>;

// Clients do without zod, so what they send is written out in the contract.
test('the types of bodies are what their schemas take', () => {
	expectTypeOf<CreateUser>().toEqualTypeOf<Input<typeof createUser>>();
	expectTypeOf<UpdateUser>().toEqualTypeOf<Input<typeof updateUser>>();
	expectTypeOf<CreateToken>().toEqualTypeOf<Input<typeof createToken>>();
	expectTypeOf<CreateKey>().toEqualTypeOf<Input<typeof createKey>>();
	expectTypeOf<CreateTeam>().toEqualTypeOf<Input<typeof createTeam>>();
	expectTypeOf<RenameTeam>().toEqualTypeOf<Input<typeof renameTeam>>();
	expectTypeOf<CreateInvite>().toEqualTypeOf<Input<typeof createInvite>>();
	expectTypeOf<AcceptInvite>().toEqualTypeOf<Input<typeof acceptInvite>>();
	expectTypeOf<CreateInbox>().toEqualTypeOf<Input<typeof createInbox>>();
	expectTypeOf<UpdateInbox>().toEqualTypeOf<Input<typeof updateInbox>>();
	expectTypeOf<CreateBounce>().toEqualTypeOf<Input<typeof createBounce>>();
	expectTypeOf<CreateReply>().toEqualTypeOf<Input<typeof createReply>>();
	expectTypeOf<CreateEndpoint>().toEqualTypeOf<Input<typeof createEndpoint>>();
	expectTypeOf<UpdateEndpoint>().toEqualTypeOf<Input<typeof updateEndpoint>>();
});

// Numbers become texts in a query, so only the names and the texts can be compared.
describe('the types of queries have the parameters of their schemas', () => {
	test('of inboxes', () => {
		expectTypeOf<keyof ListInboxes>().toEqualTypeOf<keyof Input<typeof listInboxes>>();
	});

	test('of messages', () => {
		expectTypeOf<keyof ListMessages>().toEqualTypeOf<keyof Input<typeof listMessages>>();
		expectTypeOf<ListMessages['match']>().toEqualTypeOf<Input<typeof listMessages>['match']>();
	});

	test('of deliveries', () => {
		expectTypeOf<keyof ListDeliveries>().toEqualTypeOf<keyof Input<typeof listDeliveries>>();
		expectTypeOf<ListDeliveries['status']>().toEqualTypeOf<Input<typeof listDeliveries>['status']>();
		expectTypeOf<ListDeliveries['event']>().toEqualTypeOf<Input<typeof listDeliveries>['event']>();
	});
});
