/** Worker thread that reads one large request, the one in its `workerData`, posts each mail, and exits. */
import {once} from 'node:events';
import {type MessagePort, parentPort, workerData} from 'node:worker_threads';
import {SendError} from '../domain/mail/sending.js';
import {type FromSendWorker, readMails, type SendTask} from './prepare.js';
import {providers} from './providers.js';

async function perform(
	{provider: name, route: index, request}: SendTask,
	port: Pick<MessagePort, 'postMessage'> & EventTarget,
): Promise<void> {
	const post = (message: FromSendWorker) => port.postMessage(message);
	const provider = await providers[name]?.();
	const route = provider?.routes[index];
	if (!route) {
		throw new Error(`There is no route ${index} of ${name}.`);
	}

	try {
		const body = Buffer.from(request.body);
		for await (const mail of readMails(route, {...request, body, query: new URLSearchParams(request.query)})) {
			post({mail});
			await once(port, 'message');
		}

		post({end: undefined});
	} catch (error) {
		if (!(error instanceof SendError)) {
			throw error;
		}

		post({end: error.failure});
	}
}

if (parentPort) {
	await perform(workerData as SendTask, parentPort);
}
