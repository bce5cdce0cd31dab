/** The worker thread in which one large request is read. It is told which by its data, says what came of it, and ends. */
import {parentPort, workerData} from 'node:worker_threads';
import {Unsent} from '../domain/mail/sending.js';
import {beginMails, type SendTask, type SendTaskOutcome} from './prepare.js';
import {SendError, type SentMail} from './provider.js';
import {providers} from './providers.js';

async function perform({provider: name, route: index, request}: SendTask): Promise<SendTaskOutcome> {
	const provider = await providers[name]?.();
	const route = provider?.routes[index];
	if (!route) {
		throw new Error(`There is no route ${index} of ${name}.`);
	}

	try {
		const body = Buffer.from(request.body);
		const begun = await beginMails(route, {...request, body, query: new URLSearchParams(request.query)});
		return {begun: begun.map(one => ('mail' in one ? {...one, mail: withoutBytes(one.mail)} : one))};
	} catch (error) {
		if (error instanceof SendError) {
			return {answer: error.answer};
		}

		if (error instanceof Unsent) {
			return {failure: error.failure};
		}

		throw error;
	}
}

/** The source has them. */
function withoutBytes(mail: SentMail): SentMail {
	const {content} = mail;
	return {...mail, content: 'raw' in content ? {raw: Buffer.alloc(0)} : {...content, attachments: []}};
}

parentPort?.postMessage(await perform(workerData as SendTask));
