import {type Answer, basicCredentials, type Provider, type SendRoute, type SentMail} from '../provider.js';
import {mailgunProblem} from './errors.js';
import {multipartType, urlEncodedType} from './form.js';
import {readMailgunMessages, readMime} from './messages.js';

/** Maximum size of a request. */
const maxBytes = 52_400_000;

/** Mailgun's Messages API, v3. */
export const mailgun: Provider = {
	name: 'mailgun',
	maxBytes,
	routes: [
		{...route('/v3/:domain/messages'), types: [multipartType, urlEncodedType], read: readMailgunMessages},
		{...route('/v3/:domain/messages.mime'), types: [multipartType], read: readMime},
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
