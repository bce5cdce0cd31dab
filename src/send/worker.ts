/** Worker thread that reads one large request, the one in its `workerData`, posts the result, and exits. */
import {parentPort, workerData} from 'node:worker_threads';
import {SendError} from '../domain/mail/sending.js';
import {readMails, type SendTask, type SendTaskResult} from './prepare.js';
import type {SentMail} from './provider.js';
import {providers} from './providers.js';

async function perform({provider: name, route: index, request}: SendTask): Promise<SendTaskResult> {
	const provider = await providers[name]?.();
	const route = provider?.routes[index];
	if (!route) {
		throw new Error(`There is no route ${index} of ${name}.`);
	}

	try {
		const body = Buffer.from(request.body);
		const mails = await readMails(route, {...request, body, query: new URLSearchParams(request.query)});
		return {mails: mails.map(mail => ('mail' in mail ? {...mail, mail: withoutBytes(mail.mail)} : mail))};
	} catch (error) {
		if (error instanceof SendError) {
			return {failure: error.failure};
		}

		throw error;
	}
}

/** Mail without the bytes that its source contains anyway. */
function withoutBytes(mail: SentMail): SentMail {
	const {content} = mail;
	return {...mail, content: 'raw' in content ? {raw: Buffer.alloc(0)} : {...content, attachments: []}};
}

parentPort?.postMessage(await perform(workerData as SendTask));
