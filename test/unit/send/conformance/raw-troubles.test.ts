import {readFile} from 'node:fs/promises';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Person, Tinbox} from '../../../helpers/tinbox.js';
import {openMailbox} from './mailbox.js';
import {rawTroubles} from './raw-troubles.js';
import {apis, type WireRequest} from './requests.js';

const docs = await readFile(new URL('../../../../docs/reference/sending-errors.md', import.meta.url), 'utf8');

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

describe.each(apis)('$name', api => {
	const [, section = ''] = docs.split(`### ${api.name}\n`);
	const rows = section.split('\n\n#')[0]?.matchAll(/^\| (.*) \| ``(.*)`` \|$/gm) ?? [];
	const documented = new Map([...rows].map(([, cause, said]) => [cause, said]));
	const possible = rawTroubles.filter(({request}) => request(api.request('a'), api));
	test.each(possible)('answers as documented to: $cause', async ({cause, request, before}) => {
		const {sendKey} = await openMailbox(tinbox, ann);
		const plain = api.request(sendKey);
		if (before) {
			expect((await ask(api.provider, before(plain))).ok).toBe(true);
		}

		const response = await ask(api.provider, request(plain, api) ?? plain);
		expect(`${response.status} ${api.said(response, await response.text())}`).toBe(documented.get(cause));
	});
});

async function ask(provider: string, {method, path, headers, body}: WireRequest): Promise<Response> {
	const base = provider === 'tinbox' ? `${tinbox.url}/send` : new URL(`/send/${provider}`, tinbox.url).href;
	const bytes = typeof body === 'string' ? body : JSON.stringify(body);
	return fetch(base + path, {method, headers, ...(body !== undefined && {body: bytes})});
}
