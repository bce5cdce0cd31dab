import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import {operationGroups} from '../../../src/http/api/index.js';
import {describeApi, type OpenApiDocument} from '../../../src/http/openapi/document.js';
import type {SeenAnswer} from './answers.js';
import {strictDocument} from './strict-document.js';

/** Holds answers against the document. */
export class Conformance {
	readonly #document: OpenApiDocument = strictDocument(describeApi(operationGroups));
	readonly #ajv = new Ajv2020({strict: false, allErrors: true});
	readonly #validators = new Map<string, ValidateFunction>();
	/** Those without parameters first: `/inboxes/keys` is no inbox. */
	readonly #paths = Object.keys(this.#document.paths)
		.sort((a, b) => a.split('{').length - b.split('{').length)
		.map(path => ({path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)}));

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
