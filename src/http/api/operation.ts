import type {z} from 'zod';
import type {ProblemCode} from '../server/problems.js';
import type {CallerName} from './auth.js';

/** Description of a route. Requests are validated with it, and the OpenAPI document is generated from it. */
export type Operation = {
	/** Method and path below `/v1` in the syntax of the router: `GET /inboxes/:inboxId`. */
	readonly route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
	/** Stable id, the name of the method in generated clients. */
	readonly id: string;
	readonly summary: string;
	readonly description?: string;
	/** Default: `key`. */
	readonly caller?: CallerName;
	/** Request headers besides credentials, with descriptions. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly query?: z.ZodObject;
	readonly body?: z.ZodType;
	/** Request body of another media type instead of JSON. */
	readonly upload?: {readonly type: string; readonly description: string};
	/** Example of a valid body. */
	readonly example?: unknown;
	/** CLI command that does the same. */
	readonly command?: `tinbox ${string}`;
	/** Status of a success. Default: 200, or 204 without a response body. */
	readonly status?: 201;
	/** JSON response body; without this and `media` there is none. */
	readonly response?: z.ZodType;
	/** Response body of another media type. */
	readonly media?: Media;
	/** Error codes besides those that follow from caller, input and path (`failuresOf`). */
	readonly errors?: readonly ProblemCode[];
	/** Path parameter that the `id` in the response is a value of; sets `Location`. */
	readonly locationParam?: string;
	/** True if the handler sets `Location`. */
	readonly setsLocation?: true;
	/** Path parameters whose values are in the response, with JSON pointers (RFC 6901) without the first slash. */
	readonly responseIds?: Readonly<Record<string, string>>;
};

/** Response that is not JSON. */
export type Media = {
	readonly types: readonly string[];
	readonly description: string;
	/** True if a 404 is an HTML page for browsers. */
	readonly isMissingShown?: true;
	/** Schema of the data of each event in an event stream. */
	readonly event?: z.ZodType;
};

export function methodAndPath({route}: Pick<Operation, 'route'>): {readonly method: string; readonly path: string} {
	const [method = '', path = ''] = route.split(' ');
	return {method, path};
}

/** Status of a successful response. */
export function successStatus({status, response, media}: Operation): number {
	return status ?? (response || media ? 200 : 204);
}

/** Operations about one noun, which the document shows as one section. */
export type OperationGroup = {
	readonly name: string;
	readonly description: string;
	readonly operations: readonly Operation[];
};
