import type {DescribedOperation, OpenApiDocument, SecurityScheme} from '../openapi/document.js';
import type {JsonSchema} from '../openapi/json-schema.js';
import type {Response} from '../openapi/responses.js';
import {escapeHtml} from '../present/html-page.js';
import {docsScript, docsStyle} from './look.js';

/** HTML page of the OpenAPI document; only its search needs JavaScript. */
export function docsPage(document: OpenApiDocument): string {
	const {info, tags, components} = document;
	const all = Object.entries(document.paths).flatMap(([path, item]) =>
		Object.entries(item).map(([method, operation]) => ({method: method.toUpperCase(), path, operation})),
	);
	const groups = tags.map(tag => ({...tag, of: all.filter(({operation}) => operation.tags[0] === tag.name)}));
	const links = groups.map(
		({name, of}) =>
			`<div><h2>${escapeHtml(name)}</h2><ul>${of.map(({operation: {operationId: id, summary}}) => `<li><a href="#${id}">${escapeHtml(summary)}</a></li>`).join('')}</ul></div>`,
	);
	const sections = groups.map(
		({name, description, of}) =>
			`<section><h2>${escapeHtml(name)}</h2>${prose(description)}${of.map(operationHtml).join('\n')}</section>`,
	);
	const credentials = Object.entries(components.securitySchemes).map(
		([name, scheme]) =>
			`<article id="credential-${name}"><h3>${name}</h3><p><code>${headerOf(scheme)}</code></p>${prose(scheme.description)}</article>`,
	);
	const bodies = Object.entries(components.schemas).map(([name, schema]) => schemaHtml(name, schema));
	return [
		'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
		`<title>${escapeHtml(info.title)} API</title><style>${docsStyle}</style>`,
		`<body><header><h1>${escapeHtml(info.title)} ${escapeHtml(info.version)} API</h1>${prose(info.description)}`,
		`<p>OpenAPI ${document.openapi} document: <a href="/v1/openapi.json">openapi.json</a></p></header>`,
		'<nav aria-label="Operations">',
		'<label hidden>Search <input type="search"></label><p role="status"></p>',
		`${links.join('\n')}<h2><a href="#credentials">Authentication</a></h2><h2><a href="#bodies">Schemas</a></h2></nav><main>`,
		...sections,
		`<section id="credentials"><h2>Authentication</h2>${credentials.join('\n')}</section>`,
		`<section id="bodies"><h2>Schemas</h2>${bodies.join('\n')}</section></main>`,
		`<script>${docsScript}</script></body></html>`,
	].join('\n');
}

type Placed = {readonly method: string; readonly path: string; readonly operation: DescribedOperation};

function operationHtml({method, path, operation}: Placed): string {
	const {operationId, summary, description, parameters = [], requestBody, responses, security} = operation;
	const schemes = security.flatMap(one => Object.keys(one)).map(name => `<a href="#credential-${name}">${name}</a>`);
	const body = requestBody?.content['application/json']?.schema;
	const given = parameters.map(
		one =>
			`<li><code>${escapeHtml(one.name)}</code> ${typeHtml(one.schema)}${one.required ? ', required' : ''}. ${inline(one.description ?? '')}</li>`,
	);
	const answers = Object.entries(responses).map(([status, response]) => `<li>${status} ${answerHtml(response)}</li>`);
	const samples = operation['x-codeSamples'].map(
		({label, source}) => `<h4>${label}</h4><pre>${escapeHtml(source)}</pre>`,
	);
	return [
		`<article class="operation" id="${operationId}"><h3>${escapeHtml(summary)}</h3>`,
		`<p><code><span class="method">${method}</span> /v1${escapeHtml(path)}</code></p>`,
		description === undefined ? '' : prose(description),
		`<p>Authentication: ${schemes.length === 0 ? 'none' : schemes.join(' or ')}.</p>`,
		given.length === 0 ? '' : `<h4>Parameters</h4><ul>${given.join('')}</ul>`,
		body ? `<h4>Request body</h4><p>${typeHtml(body)}</p>` : '',
		...samples,
		`<h4>Responses</h4><ul>${answers.join('')}</ul></article>`,
	].join('\n');
}

function headerOf(scheme: SecurityScheme): string {
	return scheme.type === 'apiKey' ? `${scheme.name}: …` : 'Authorization: Bearer …';
}

function answerHtml(response: Response | {readonly $ref: string}): string {
	if ('$ref' in response) {
		const [, ...codes] = (response.$ref.split('/').at(-1) ?? '').split('.');
		return codes
			.filter(code => code !== 'page')
			.map(code => `<code>${escapeHtml(code)}</code>`)
			.join(', ');
	}

	const types = Object.entries(response.content ?? {}).map(([type, {schema}]) =>
		type === 'application/json' ? typeHtml(schema) : `<code>${escapeHtml(type)}</code>`,
	);
	return `${inline(response.description)} ${types.join(', ')}`;
}

function schemaHtml(name: string, schema: JsonSchema): string {
	const {properties = {}, required = []} = schema;
	const fields = Object.entries(properties).map(([field, of]) => {
		const one = of as JsonSchema;
		const about = inline(one.description ?? '');
		return `<li><code>${escapeHtml(field)}</code> ${typeHtml(one)}${required.includes(field) ? '' : ', optional'}. ${about}</li>`;
	});
	const content = fields.length > 0 ? `<ul>${fields.join('')}</ul>` : `<p>${typeHtml(schema)}</p>`;
	return `<article id="body-${name}"><h3>${name}</h3>${content}</article>`;
}

/** Short text of a schema, with links to the schemas that it refers to. */
function typeHtml(schema: JsonSchema): string {
	const {$ref, type, enum: values, items, anyOf, oneOf, const: only, properties} = schema;
	const others = anyOf ?? oneOf;
	if ($ref !== undefined) {
		const name = $ref.split('/').at(-1) ?? '';
		return `<a href="#body-${name}">${name}</a>`;
	}

	if (others) {
		return others.map(typeHtml).join(' or ');
	}

	if (values ?? only !== undefined) {
		return (values ?? [only]).map(value => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' or ');
	}

	if (Array.isArray(type)) {
		return type.map(one => typeHtml(one === 'null' ? {type: one} : {...schema, type: one})).join(' or ');
	}

	if (type === 'array' && typeof items === 'object' && !Array.isArray(items)) {
		return `array of ${typeHtml(items)}`;
	}

	const fields = Object.entries(properties ?? {}).map(
		([name, one]) => `${escapeHtml(name)}: ${typeHtml(one as JsonSchema)}`,
	);
	return fields.length > 0 ? `{${fields.join(', ')}}` : escapeHtml(type ?? 'anything');
}

/** Paragraphs of text, with `code` in them. */
function prose(text: string): string {
	return text
		.split('\n\n')
		.map(paragraph => `<p>${inline(paragraph)}</p>`)
		.join('');
}

function inline(text: string): string {
	return text
		.split('`')
		.map((part, index) => (index % 2 === 0 ? escapeHtml(part) : `<code>${escapeHtml(part)}</code>`))
		.join('');
}
