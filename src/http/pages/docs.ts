import type {Context, Next} from 'koa';
import {operationGroups} from '../api/index.js';
import {type DescribedOperation, describeApi, type OpenApiDocument, type SecurityScheme} from '../openapi/document.js';
import type {ResponseObject} from '../openapi/responses.js';
import type {JsonSchema} from '../openapi/schemas.js';
import {describePage, escapeHtml, inlineSource, policyOf} from './html-page.js';

const docsStyle = `
:root {color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; --line: #8886}
html {background: Canvas; color: CanvasText}
body {display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 0 2rem; max-width: 80rem; margin: 0 auto; padding: 1.5rem 1rem 3rem}
header {grid-column: 1 / -1}
nav {position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; box-sizing: border-box; padding: 1rem .25rem; font-size: .9rem}
h1 {margin: 0 0 .5rem; font-size: 1.5rem}
h2 {margin: 2.5rem 0 .25rem}
h3 {margin: 0; font-size: 1rem}
h4 {margin: .75rem 0 .25rem; font-size: .9rem}
p {margin: .25rem 0}
ul {margin: 0; padding-left: 1.1rem}
nav h2 {margin: 1rem 0 .25rem; font-size: 1rem}
nav ul {padding: 0; list-style: none}
nav a {display: block; padding: .25rem 0; text-decoration: none}
nav a:hover, nav a:focus {text-decoration: underline}
code, pre {font: .85rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere}
pre {margin: .25rem 0; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap}
article {margin: .75rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px}
article:target {outline: 2px solid}
input {box-sizing: border-box; width: 100%; padding: .4rem .6rem; font: inherit}
.method {font-weight: bold}
@media (max-width: 50rem) {body {display: block} nav {position: static; max-height: 50vh; margin-top: 1rem; border: solid var(--line); border-width: 1px 0}}
`;

/** Script of the search: hides operations that do not contain all words. */
const docsScript = `
const field = document.querySelector('input');
const count = document.querySelector('[role=status]');
document.querySelector('label').hidden = false;
field.oninput = () => {
	const words = field.value.toLowerCase().split(/\\s+/);
	const fits = element => words.every(word => element.textContent.toLowerCase().includes(word));
	let found = 0;
	for (const article of document.querySelectorAll('article.operation')) {
		article.hidden = !fits(article);
		found += article.hidden ? 0 : 1;
		document.querySelector('nav a[href="#' + article.id + '"]').parentElement.hidden = article.hidden;
	}
	for (const group of document.querySelectorAll('section, nav div')) {
		group.hidden = !group.querySelector('article:not([hidden]), nav li:not([hidden])');
	}
	count.textContent = field.value === '' ? '' : found + (found === 1 ? ' operation' : ' operations');
};
`;

/** HTML of the page; only its search needs JavaScript. */
function docsPage(document: OpenApiDocument): string {
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
			`<li><code>${escapeHtml(one.name)}</code> ${typeHtml(one.schema)}${one.required ? ', required' : ''}. ${inlineHtml(one.description ?? '')}</li>`,
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

function answerHtml(response: ResponseObject | {readonly $ref: string}): string {
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
	return `${inlineHtml(response.description)} ${types.join(', ')}`;
}

function schemaHtml(name: string, schema: JsonSchema): string {
	const {properties = {}, required = []} = schema;
	const fields = Object.entries(properties).map(([field, of]) => {
		const one = of as JsonSchema;
		const about = inlineHtml(one.description ?? '');
		return `<li><code>${escapeHtml(field)}</code> ${typeHtml(one)}${required.includes(field) ? '' : ', optional'}. ${about}</li>`;
	});
	const content = fields.length > 0 ? `<ul>${fields.join('')}</ul>` : `<p>${typeHtml(schema)}</p>`;
	return `<article id="body-${name}"><h3>${name}</h3>${content}</article>`;
}

/** Type of a schema in short, with links to named schemas. */
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

/** Paragraphs, with `code`. */
function prose(text: string): string {
	return text
		.split('\n\n')
		.map(paragraph => `<p>${inlineHtml(paragraph)}</p>`)
		.join('');
}

function inlineHtml(text: string): string {
	return text
		.split('`')
		.map((part, index) => (index % 2 === 0 ? escapeHtml(part) : `<code>${escapeHtml(part)}</code>`))
		.join('');
}

/** Only the inline style and script. */
const policy = policyOf(`style-src ${inlineSource(docsStyle)}`, `script-src ${inlineSource(docsScript)}`);

/** Serves the API documentation at `/docs`. It is created at the first request. */
export function answerDocs() {
	let page: string | undefined;
	return (ctx: Context, next: Next): Promise<void> | void => {
		if (ctx.path !== '/docs' || !['GET', 'HEAD'].includes(ctx.method)) {
			return next();
		}

		page ??= docsPage(describeApi(operationGroups));
		describePage(ctx, policy);
		ctx.body = page;
	};
}
