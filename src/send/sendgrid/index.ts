import {basicCredentials} from '../basic-credentials.js';
import type {Provider, SendRequest} from '../provider.js';
import {sendgridProblem} from './errors.js';
import {readMailSend} from './read-mail-send.js';

/** Of an email with all that belongs to it, as SendGrid documents it. */
const maxBytes = 30 * 1024 * 1024;

/** SendGrid's Mail Send API, v3. */
export const sendgrid: Provider = {
	name: 'sendgrid',
	maxBytes,
	routes: [
		{
			method: 'POST',
			path: '/v3/mail/send',
			types: ['application/json'],
			read: readMailSend,
			answer: ([first]) => ({
				status: 202,
				headers: {'X-Message-Id': first?.id ?? ''},
				body: '',
			}),
		},
	],
	keyOf,
	problem: sendgridProblem,
};

/** The API key, which clients of old and Twilio's give as the password of `apikey`. */
function keyOf({headers}: Pick<SendRequest, 'headers'>): string | undefined {
	const {authorization = ''} = headers;
	const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(authorization) ?? [];
	return token ?? basicCredentials(authorization, 'apikey');
}
