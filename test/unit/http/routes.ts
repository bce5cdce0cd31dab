import type {z} from 'zod';
import {openWebSessionSchema} from '../../../src/contract/keys.js';
import {operationGroups} from '../../../src/http/api/index.js';

/** A route of `/v1`: its method and path, parameters as in the router, and what it takes besides. */
export type Route = {readonly request: string; readonly body?: z.ZodType; readonly query?: z.ZodType};

/** Where the web app logs in and out. */
export const appRoutes: readonly Route[] = [
	{request: 'POST /app/session', body: openWebSessionSchema},
	{request: 'GET /app/session'},
	{request: 'DELETE /app/session'},
];

/** For a router that answers nobody. */
export const noConnections = {belongsTo() {}, holdForNews: () => true};

/** All but what is answered where all sending APIs are. */
export const routes: readonly Route[] = operationGroups
	.flatMap(({operations}) => operations)
	.filter(({caller}) => caller !== 'sender')
	.map(({at, body, query}) => ({request: at, ...(body && {body}), ...(query && {query})}));
