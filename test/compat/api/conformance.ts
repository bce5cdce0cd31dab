import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import {operationGroups} from '../../../src/http/api/index.js';
import {describeApi, type OpenApiDocument} from '../../../src/http/openapi/document.js';
import type {ApiResponse} from './responses.js';
import {strictDocument} from './strict-document.js';

/** Validates responses against the OpenAPI document. */
export class Conformance {
	readonly #document: OpenApiDocument = strictDocument(describeApi(operationGroups));
	readonly #ajv = new Ajv2020({strict: false, allErrors: true});
	readonly #validators = new Map<string, ValidateFunction>();
	/** Paths without parameters first, so that `/inboxes/keys` does not match `/inboxes/{inboxId}`. */
	readonly #paths = Object.keys(this.#document.paths)
		.sort((a, b) => a.split('{').length - b.split('{').length)
		.map(path => ({path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)}));

	constructor() {
		formats.default(this.#ajv);
		this.#ajv.addSchema({$id: 'openapi', ...this.#document});
	}

	/** The first difference between a response and the document; undefined if there is none. */
	problemOf(answer: ApiResponse): string | undefined {
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
		answer: ApiResponse,
		path: string,
		method: string,
		responses: OpenApiDocument['paths'][string][string]['responses'],
	): string | undefined {
		const {status, headers, body} = answer;
		const described = responses[status];
		if (!described) {
			// Every resource with an ETag can respond with 304.
			return status === 304 ? undefined : `the status is not described: ${body.slice(0, 300)}`;
		}

		const response =
			'$ref' in described ? this.#document.components.responses[described.$ref.split('/').at(-1) ?? ''] : described;
		const [type = ''] = String(headers['content-type'] ?? '').split(';', 1);
		const {content} = response ?? {};
		if (response?.headers?.['Location'] && headers['location'] === undefined) {
			return 'there is no Location';
		}

		if (!content || answer.method === 'HEAD') {
			return body === '' ? undefined : 'a body is not described';
		}

		const mediaType = content[type] ? type : content['*/*'] ? '*/*' : undefined;
		if (mediaType === undefined) {
			return `the type ${type} is not described`;
		}

		if (!/json$/.test(type) || mediaType === '*/*') {
			return undefined;
		}

		const pointer =
			'$ref' in described ? described.$ref.slice(2).split('/') : ['paths', path, method, 'responses', String(status)];
		const validate = this.#validatorOf([...pointer, 'content', mediaType, 'schema']);
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
