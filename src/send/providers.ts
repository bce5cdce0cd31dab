import type {SendProvider} from '../contract/constants.js';
import type {Provider} from './provider.js';

/** Loaders of the providers. A provider is loaded by its first request. */
export const providers: Partial<Readonly<Record<SendProvider, () => Promise<Provider>>>> = {
	mailgun: async () => (await import('./mailgun/index.js')).mailgun,
	sendgrid: async () => (await import('./sendgrid/index.js')).sendgrid,
	resend: async () => (await import('./resend/index.js')).resend,
	postmark: async () => (await import('./postmark/index.js')).postmark,
	tinbox: async () => (await import('./tinbox.js')).tinbox,
	ses: async () => (await import('./ses/index.js')).ses,
};
