import {expect, test} from 'vitest';
import {SendError} from '../../../src/domain/mail/sending.js';
import {readMails} from '../../../src/send/prepare.js';
import type {SendRequest, SentMail} from '../../../src/send/provider.js';

test('mails whose total size exceeds the limit are rejected before any of them is composed', async () => {
	let composed = 0;
	const text = 'x'.repeat(400_000);
	const mail = {
		envelope: {from: 'a@x.test', to: ['b@x.test']},
		content: {
			text,
			attachments: [],
			get headers() {
				composed += 1;
				return [];
			},
		},
	} as unknown as SentMail;
	const read = () => Array.from({length: 1000}, () => mail);
	await expect(readMails({read}, {} as SendRequest).next()).rejects.toThrow(SendError);
	expect(composed).toBe(0);
});
