import {readFile} from 'node:fs/promises';
import {describe, expect, test} from 'vitest';
import {openTinbox} from '../../../helpers/tinbox.js';
import {mailOf, raised, troubles} from './errors.js';
import {expressible} from './limits.js';
import {openMailbox} from './mailbox.js';
import {sdks} from './sdks.js';

const docs = await readFile(new URL('../../../../docs/reference/sending-errors.md', import.meta.url), 'utf8');

describe.each(sdks)('$name', sdk => {
	const {provider, limits} = sdk;
	test.each(troubles.filter(({providers}) => providers?.includes(provider) ?? true))(
		'raises the documented error for: $cause',
		async trouble => {
			const tinbox = await openTinbox(trouble.settings ? {settings: trouble.settings} : {});
			const ann = await tinbox.user('ann');
			const mailbox = await openMailbox(tinbox, ann);
			if (trouble.fault) {
				await tinbox.request('POST', `/inboxes/${mailbox.inbox.id}/faults`, {key: ann.key, body: trouble.fault});
			}

			const account = mailbox.account(provider);
			const key = trouble.hasWrongKey ? account.key.replace(/.$/, last => (last === 'x' ? 'y' : 'x')) : account.key;
			const error = await sdk
				.send(expressible(mailOf(trouble), limits), {...account, key})
				.then(() => 'no error: the mail is sent', raised);
			expect(docs).toContain(`| ${trouble.cause} | \`\`${error}\`\` |`);
			const isStored = (await mailbox.summaries()).length > 0;
			expect(isStored).toBe(error === 'no error: the mail is sent');
		},
	);
});
