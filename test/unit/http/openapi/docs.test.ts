import {expect, test} from 'vitest';
import {operationGroups} from '../../../../src/http/api/index.js';
import {openTinbox} from '../../../helpers/tinbox.js';

test('the API reference page shows every operation and runs only its own script', async () => {
	const tinbox = await openTinbox();
	const response = await fetch(new URL('/docs', tinbox.url));
	const html = await response.text();
	expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
	expect(response.headers.get('Content-Security-Policy')).toMatch(/default-src 'none'.*script-src 'sha256-/);
	for (const {id} of operationGroups.flatMap(({operations}) => operations)) {
		expect(html).toContain(`<article class="operation" id="${id}">`);
	}

	expect(html).toContain('<code>rate</code> {count: integer, seconds: integer} or null');

	const targets = [...html.matchAll(/href="#(\w[^"]*)"/g)].map(([, target]) => target);
	expect(targets.filter(target => !html.includes(`id="${target}"`))).toEqual([]);
	expect(html).not.toMatch(/<(?:script|img|link)[^>]* (?:src|href)=/);
});
