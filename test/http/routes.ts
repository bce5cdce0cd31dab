import type {z} from 'zod';
import {createBounce, createReply} from '../../src/http/schemas/bounces.js';
import {createFault, listFaultHits} from '../../src/http/schemas/faults.js';
import {createInbox, listInboxes, updateInbox} from '../../src/http/schemas/inboxes.js';
import {createKey} from '../../src/http/schemas/keys.js';
import {listMessages, listMisses, readMessage} from '../../src/http/schemas/messages.js';
import {listRefusals} from '../../src/http/schemas/refusals.js';
import {acceptInvite, createInvite, createTeam, renameTeam} from '../../src/http/schemas/teams.js';
import {createToken, createUser, updateUser} from '../../src/http/schemas/users.js';
import {createEndpoint, listDeliveries, updateEndpoint} from '../../src/http/schemas/webhooks.js';

/** A route of `/v1`: its method and path, parameters as in the router, and what it takes besides. */
export type Route = {readonly request: string; readonly body?: z.ZodType; readonly query?: z.ZodType};

/** For a router that answers nobody. */
export const noConnections = {belongsTo() {}, holdForNews: () => true};

const inbox = '/inboxes/:inboxId';
const message = `${inbox}/messages/:messageId`;
const endpoint = '/webhooks/:endpointId';
const team = '/teams/:teamId';
const preview = '/previews/:token';

export const routes: readonly Route[] = [
	{request: 'GET /health'},
	{request: 'GET /ready'},
	{request: 'GET /daemon'},
	{request: 'POST /users', body: createUser},
	{request: 'GET /users'},
	{request: 'GET /users/me'},
	{request: 'GET /plans'},
	{request: 'PATCH /users/:userId', body: updateUser},
	{request: 'DELETE /users/:userId'},
	{request: 'POST /users/:userId/tokens', body: createToken},
	{request: 'POST /teams', body: createTeam},
	{request: 'GET /teams'},
	{request: `GET ${team}`},
	{request: `PUT ${team}`, body: renameTeam},
	{request: `DELETE ${team}`},
	{request: `DELETE ${team}/members/:userId`},
	{request: `POST ${team}/invite`, body: createInvite},
	{request: 'POST /teams/invites/accept', body: acceptInvite},
	{request: 'POST /inboxes/keys', body: createKey},
	{request: 'GET /inboxes/keys'},
	{request: 'DELETE /inboxes/keys/:keyId'},
	{request: 'POST /inboxes', body: createInbox},
	{request: 'GET /inboxes', query: listInboxes},
	{request: `GET ${inbox}`},
	{request: `PATCH ${inbox}`, body: updateInbox},
	{request: `DELETE ${inbox}`},
	{request: `GET ${inbox}/credentials`},
	{request: `POST ${inbox}/credentials/rotate`},
	{request: `GET ${inbox}/messages`, query: listMessages},
	{request: `DELETE ${inbox}/messages`},
	{request: `GET ${inbox}/misses`, query: listMisses},
	{request: `GET ${message}`, query: readMessage},
	{request: `DELETE ${message}`},
	{request: `GET ${message}/raw`},
	{request: `GET ${message}/attachments/:attachmentId`},
	{request: `POST ${message}/bounce`, body: createBounce},
	{request: `POST ${message}/complain`, body: createReply},
	{request: `POST ${message}/autoreply`, body: createReply},
	{request: `POST ${message}/preview`},
	{request: `GET ${preview}`},
	{request: `GET ${preview}/html`},
	{request: `GET ${preview}/raw`},
	{request: `GET ${preview}/attachments/:attachmentId`},
	...[`${inbox}/faults`, '/faults'].flatMap(faults => [
		{request: `POST ${faults}`, body: createFault},
		{request: `GET ${faults}`},
		{request: `DELETE ${faults}`},
		{request: `GET ${faults}/hits`, query: listFaultHits},
		{request: `GET ${faults}/:faultId`},
		{request: `DELETE ${faults}/:faultId`},
		{request: `GET ${faults}/:faultId/hits`, query: listFaultHits},
	]),
	{request: 'POST /webhooks', body: createEndpoint},
	{request: 'GET /webhooks'},
	{request: `GET ${endpoint}`},
	{request: `PUT ${endpoint}`, body: updateEndpoint},
	{request: `DELETE ${endpoint}`},
	{request: `GET ${endpoint}/deliveries`, query: listDeliveries},
	{request: `POST ${endpoint}/test`},
	{request: `POST ${endpoint}/deliveries/:deliveryId/redeliver`},
	{request: 'GET /events'},
	{request: 'GET /refusals', query: listRefusals},
	{request: 'GET /nodes'},
];
