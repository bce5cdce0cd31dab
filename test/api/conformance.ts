import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import type {IncomingMessage, ServerResponse} from 'node:http';
import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import {describeApi, type OpenApiDocument} from '../../src/http/openapi/document.js';
import {operationGroups} from '../../src/http/operations/index.js';
import {strictDocument} from './strict-document.js';

/** An answer as it went out. */
export type SeenAnswer = {
	readonly method: string;
	/** Below `/v1`, without the query. */
	readonly path: string;
	readonly status: number;
	readonly headers: Readonly<Record<string, unknown>>;
	readonly body: string;
};

/** Holds answers against the document. */
export class Conformance {
	readonly #document: OpenApiDocument = strictDocument(describeApi(operationGroups));
	readonly #ajv = new Ajv2020({strict: false, allErrors: true});
	readonly #validators = new Map<string, ValidateFunction>();
	/** Those without parameters first: `/inboxes/keys` is no inbox. */
	readonly #paths = Object.keys(this.#document.paths)
		.sort((a, b) => a.split('{').length - b.split('{').length)
		.map(path => ({path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)}));

	constructor() {
		formats.default(this.#ajv);
		this.#ajv.addSchema({$id: 'openapi', ...this.#document});
	}

	/** What of the answer the document does not say; undefined when it says all. */
	problemOf(answer: SeenAnswer): string | undefined {
		const path = this.#paths.find(({pattern}) => pattern.test(answer.path))?.path;
		if (path === undefined) {
			return answer.status === 404 || answer.status >= 400 ? undefined : 'the path is not described';
		}

		const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
		const operation = this.#document.paths[path]?.[method];
		if (!operation) {
			const isRefused = answer.status >= 400 || (method === 'options' && answer.status === 204);
			return isRefused ? undefined : 'the method is not described';
		}

		return this.#problemIn(answer, path, method, operation.responses);
	}

	#problemIn(
		answer: SeenAnswer,
		path: string,
		method: string,
		responses: OpenApiDocument['paths'][string][string]['responses'],
	): string | undefined {
		const {status, headers, body} = answer;
		const given = responses[status];
		if (!given) {
			// Whatever has an ETag can be unchanged.
			return status === 304 ? undefined : `the status is not described: ${body.slice(0, 300)}`;
		}

		const response = '$ref' in given ? this.#document.components.responses[given.$ref.split('/').at(-1) ?? ''] : given;
		const [type = ''] = String(headers['content-type'] ?? '').split(';', 1);
		const {content} = response ?? {};
		if (response?.headers?.['Location'] && headers['location'] === undefined) {
			return 'there is no Location';
		}

		if (!content || answer.method === 'HEAD') {
			return body === '' ? undefined : 'a body is not described';
		}

		const described = content[type] ? type : content['*/*'] ? '*/*' : undefined;
		if (described === undefined) {
			return `the type ${type} is not described`;
		}

		if (!/json$/.test(type) || described === '*/*') {
			return undefined;
		}

		const pointer =
			'$ref' in given ? given.$ref.slice(2).split('/') : ['paths', path, method, 'responses', String(status)];
		const validate = this.#validatorOf([...pointer, 'content', described, 'schema']);
		return validate(JSON.parse(body)) ? undefined : this.#ajv.errorsText(validate.errors);
	}

	#validatorOf(pointer: readonly string[]): ValidateFunction {
		const key = pointer.map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
		const known = this.#validators.get(key);
		if (known) {
			return known;
		}

		const validate = this.#ajv.compile({$ref: `openapi#/${key}`});
		this.#validators.set(key, validate);
		return validate;
	}
}

/** Tells of each answer below `/v1` that a tinbox in this process gives; the result ends that. */
export function watchAnswers(see: (answer: SeenAnswer) => void): () => void {
	const start = (message: unknown) => {
		const {request, response} = message as {readonly request: IncomingMessage; readonly response: ServerResponse};
		const [target = ''] = (request.url ?? '').split('?', 1);
		const [, path] = /^(?:\/app)?\/v1(\/.*)$/.exec(target) ?? [];
		if (path !== undefined) {
			const chunks = keepBody(response);
			response.once('finish', () => {
				// Stubs of the tests do not say so.
				if (response.getHeader('X-Content-Type-Options') === 'nosniff') {
					const body = Buffer.concat(chunks).toString();
					const headers = response.getHeaders();
					see({method: request.method ?? '', path, status: response.statusCode, headers, body});
				}
			});
		}
	};
	subscribe('http.server.request.start', start);
	return () => void unsubscribe('http.server.request.start', start);
}

/** The chunks that are written from now on. */
function keepBody(response: ServerResponse): readonly Buffer[] {
	const chunks: Buffer[] = [];
	for (const name of ['write', 'end'] as const) {
		const original = response[name].bind(response) as (...args: unknown[]) => never;
		response[name] = (...args: unknown[]) => {
			const [chunk] = args;
			if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
				chunks.push(Buffer.from(chunk as string));
			}

			return original(...args);
		};
	}

	return chunks;
}
