import {basicCredentials} from '../basic-credentials.js';
import type {Answer, Provider, SendRoute, SentMail} from '../provider.js';
import {mailgunProblem} from './errors.js';
import {multipart, urlEncoded} from './form-fields.js';
import {readMailgunMessages} from './read-messages.js';
import {readMime} from './read-mime.js';

/** Of a request. */
const maxBytes = 52_400_000;

/** Mailgun's Messages API, v3. */
export const mailgun: Provider = {
	name: 'mailgun',
	maxBytes,
	routes: [
		{...route('/v3/:domain/messages'), types: [multipart, urlEncoded], read: readMailgunMessages},
		{...route('/v3/:domain/messages.mime'), types: [multipart], read: readMime},
	],
	keyOf: ({headers}) => basicCredentials(headers['authorization'] ?? '', 'api'),
	problem: mailgunProblem,
};

function route(path: string): Pick<SendRoute, 'method' | 'path' | 'answer'> {
	return {method: 'POST', path, answer};
}

function answer([first]: readonly SentMail[]): Answer {
	return {status: 200, body: {id: first?.id ?? '', message: 'Queued. Thank you.'}};
}
