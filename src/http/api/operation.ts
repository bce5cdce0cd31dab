import type {z} from 'zod';
import type {ProblemCode} from '../server/problems.js';
import type {CallerName} from './auth.js';

/**
 * What a route takes and answers. The server checks requests with it and makes the OpenAPI document of it, so that neither says
 * what the other does not.
 */
export type Operation = {
	/** Its method and its path below `/v1`, as the router writes it: `GET /inboxes/:inboxId`. */
	readonly at: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
	/** How generated clients call it; it never changes. */
	readonly id: string;
	readonly summary: string;
	/** What the summary and the schemas do not say. */
	readonly description?: string;
	readonly caller: CallerName;
	/** Request headers that it reads besides those of its caller, with what they do. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly query?: z.ZodObject;
	readonly body?: z.ZodType;
	/** What it takes in place of JSON: bytes of this media type. */
	readonly upload?: {readonly type: string; readonly description: string};
	/** A body that works. */
	readonly example?: unknown;
	/** The command of the CLI that does the same. */
	readonly command?: `tinbox ${string}`;
	/** Of a success; 200 unless said, and 204 where there is nothing to answer. */
	readonly status?: 201;
	/** The JSON that it answers; without this and `media` it answers nothing. */
	readonly answer?: z.ZodType;
	/** What it answers that is no JSON, or more than that. */
	readonly media?: Media;
	/** What it fails with besides what its caller, input and path already say (`openapi/failures.ts`). */
	readonly errors?: readonly ProblemCode[];
	/** The path parameter that the `id` of its answer is for: what was created is at its own path and that id. */
	readonly created?: string;
	/** Its route says by itself, in `Location`, where what was created is. */
	readonly isLocated?: true;
	/** Further path parameters that its answer has, with where: a JSON pointer (RFC 6901) without its first slash. */
	readonly ids?: Readonly<Record<string, string>>;
};

/** An answer that is no JSON. */
export type Media = {
	readonly types: readonly string[];
	readonly description: string;
	/** Its 404 is a page, too, for a browser. */
	readonly isMissingShown?: true;
	/** Of the data of each event, where it is a stream of them. */
	readonly event?: z.ZodType;
};

/** The method and the path of an operation. */
export function methodAndPath({at}: Pick<Operation, 'at'>): {readonly method: string; readonly path: string} {
	const [method = '', path = ''] = at.split(' ');
	return {method, path};
}

/** The status of its success. */
export function successStatus({status, answer, media}: Operation): number {
	return status ?? (answer || media ? 200 : 204);
}

/** Operations about one noun, which the document shows as one section. */
export type OperationGroup = {
	readonly name: string;
	readonly description: string;
	readonly operations: readonly Operation[];
};
