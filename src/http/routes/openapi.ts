import {createHash} from 'node:crypto';
import {describeApi} from '../openapi/document.js';
import {daemonOperations} from '../operations/daemon.js';
import {operationGroups} from '../operations/index.js';
import type {Routes} from '../routing.js';

/** The OpenAPI document, which is made when it is first asked for. */
export function addOpenApiRoutes(routes: Routes): void {
	let made: {readonly text: string; readonly tag: string} | undefined;
	routes.add(daemonOperations.openapi, async ({ctx}) => {
		made ??= makeDocument();
		ctx.set('Cache-Control', 'no-cache');
		ctx.etag = made.tag;
		ctx.type = 'application/json';
		// Only a success can be fresh.
		ctx.status = 200;
		ctx.status = ctx.fresh ? 304 : 200;
		ctx.body = ctx.status === 304 ? null : made.text;
	});
}

function makeDocument() {
	const text = JSON.stringify(describeApi(operationGroups));
	return {text, tag: createHash('sha256').update(text).digest('base64url').slice(0, 22)};
}
