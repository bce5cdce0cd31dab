import type {MailFormat} from '../../contract/constants.js';
import type {MailEvent} from './mail-event.js';
import {mailgunEvents} from './mailgun.js';
import {postmarkEvents} from './postmark.js';
import {resendEvent} from './resend.js';
import {sendgridEvent} from './sendgrid.js';
import {sesEvent} from './ses.js';

/** Recipients that a provider tells of one by one, of one mail at most. */
const maxEach = 50;

/** The bodies by which a provider tells of an event. `secret` is that of the endpoint. */
export function mailEventBodies(format: MailFormat, event: MailEvent, secret: string): readonly string[] {
	const bounded = {...event, recipients: event.recipients.slice(0, maxEach)};
	switch (format) {
		case 'resend':
			return [resendEvent(event)];
		case 'sendgrid':
			return [sendgridEvent(event)];
		case 'ses':
			return [sesEvent(event)];
		case 'postmark':
			return postmarkEvents(bounded);
		case 'mailgun':
			return mailgunEvents(bounded, secret);
	}
}
