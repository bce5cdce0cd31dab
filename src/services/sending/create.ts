import type {Store} from '../../store/port.js';
import type {Messages} from '../messages/messages.js';
import {IdempotentRequests} from './idempotency.js';
import {Senders, type SendersOptions} from './senders.js';
import {Sending, type SendingOptions} from './sending.js';
import {SentMails} from './sent-mails.js';
import {TemplateMails, type TemplateMailsOptions, Templates, type TemplatesOptions} from './templates.js';

export type SendingPartsOptions = Omit<SendingOptions, 'senders' | 'messages'> &
	SendersOptions &
	Omit<TemplateMailsOptions, 'templates'> &
	TemplatesOptions & {readonly messages: Messages};

/** What the sending APIs need. */
export function createSending(
	store: Pick<Store, 'receipts' | 'messages' | 'inboxes' | 'users' | 'templates'>,
	{logins, others, now, parser, ...options}: SendingPartsOptions,
) {
	const templates = new Templates(store, {parser, now});
	return {
		sending: new Sending({...options, senders: new Senders({logins, others, now})}),
		repeats: new IdempotentRequests(store, now),
		sentMails: new SentMails(store, options.messages),
		templates,
		templateMails: new TemplateMails({...options, templates}),
	};
}
