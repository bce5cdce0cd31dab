import {expect, test} from 'vitest';
import {operationGroups} from '../../../../src/http/api/index.js';
import {methodAndPath} from '../../../../src/http/api/operation.js';
import {samplesOf} from '../../../../src/http/openapi/document.js';
import {openTinbox} from '../../../helpers/tinbox.js';

test('every curl sample requests an existing route', async () => {
	const tinbox = await openTinbox();
	for (const operation of operationGroups.flatMap(({operations}) => operations)) {
		const [curl] = samplesOf(operation);
		const {method, target, body} = requestOf(curl?.source ?? '');
		expect(method, operation.id).toBe(methodAndPath(operation).method);
		const response = await tinbox.request(method, target, body === undefined ? {} : {body: JSON.parse(body)});
		if (response.ok) {
			await response.body?.cancel();
		} else {
			expect(await response.text(), operation.id).not.toMatch(
				/API paths start with|method_not_allowed|invalid_input|malformed/,
			);
		}
	}
});

/** Request of a curl command, without its credentials. */
function requestOf(line: string): {
	readonly method: string;
	readonly target: string;
	readonly body: string | undefined;
} {
	const [, target = ''] = /"\$TINBOX_URL([^"]*)"/.exec(line) ?? [];
	const [, body] = /--json '(.*)'$/.exec(line) ?? [];
	const usual = body !== undefined || line.includes('--data-binary') ? 'POST' : 'GET';
	return {method: /^curl -X (\w+) /.exec(line)?.[1] ?? usual, target, body};
}
