import type {z} from 'zod';
import {openWebSessionSchema} from '../../../src/contract/keys.js';
import {operationGroups} from '../../../src/http/api/index.js';

/** Route of `/v1`: method and path with the parameters of the router, and the schemas of its body and query. */
export type Route = {readonly request: string; readonly body?: z.ZodType; readonly query?: z.ZodType};

/** Session routes of the web app. */
export const appRoutes: readonly Route[] = [
	{request: 'POST /app/session', body: openWebSessionSchema},
	{request: 'GET /app/session'},
	{request: 'DELETE /app/session'},
];

/** Connections of a router that receives no requests. */
export const noConnections = {
	belongsTo() {},
	holdForNews: () => true,
	admit: async () => {},
	holderOf: () => ({group: '', member: ''}),
	turn: async () => {},
};

/** All routes except the shared routes of the sending APIs. */
export const routes: readonly Route[] = operationGroups
	.flatMap(({operations}) => operations)
	.filter(({caller}) => caller !== 'sender')
	.map(({route, body, query}) => ({request: route, ...(body && {body}), ...(query && {query})}));
