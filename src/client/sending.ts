import type {DoneBody} from '../contract/common.js';
import {type SendProvider, sendProviders} from '../contract/constants.js';
import type {CredentialsBody} from '../contract/inboxes.js';
import type {PutTemplate, TemplateBody, TemplateListBody} from '../contract/templates.js';
import {type Caller, jsonRequests, path} from './caller.js';

/** Templates for the sending APIs, registered by the user of the API key. */
export function templatesClient(caller: Caller) {
	const {get, put, remove} = jsonRequests(caller, 'key');
	return {
		put: (provider: SendProvider, id: string, body: PutTemplate) =>
			put<TemplateBody>(path`/templates/${provider}/${id}`, {body}),
		list: () => get<TemplateListBody>(path`/templates`, {shape: {templates: [{}]}}),
		get: (provider: SendProvider, id: string) => get<TemplateBody>(path`/templates/${provider}/${id}`),
		delete: (provider: SendProvider, id: string) => remove<DoneBody>(path`/templates/${provider}/${id}`),
	};
}

/** Providers whose API is emulated below `/send/<provider>`. */
export type OtherProvider = Exclude<SendProvider, 'tinbox'>;

export const otherProviders = sendProviders.filter(name => name !== 'tinbox');

/**
 * Environment variables by provider. If the SDK reads none, the app has to pass the value on. For AWS, any credentials are
 * accepted.
 */
const variables: Readonly<Record<OtherProvider, (base: string, key: string) => Readonly<Record<string, string>>>> = {
	resend: (base, key) => ({RESEND_BASE_URL: base, RESEND_API_URL: base, RESEND_API_KEY: key}),
	ses: base => ({AWS_ENDPOINT_URL_SES: base, AWS_ENDPOINT_URL_SESV2: base}),
	sendgrid: base => ({TINBOX_SENDGRID_URL: base}),
	postmark: base => ({TINBOX_POSTMARK_URL: base}),
	mailgun: base => ({TINBOX_MAILGUN_URL: base}),
};

/** Environment variables for programs that use these sending APIs; `url` is the base URL of `/v1`. */
export function sendEnv(
	providers: readonly OtherProvider[],
	url: string,
	key: string,
): Readonly<Record<string, string>> {
	const origin = url.replace(/\/v1\/?$/, '');
	const all = providers.map(name => variables[name](`${origin}/send/${name}`, key));
	return Object.assign({TINBOX_SEND_KEY: key}, ...all);
}

/** Environment variables for programs that log in to SMTP as an inbox. `MAILER_DSN` is read by Symfony. */
export function smtpEnv({
	host,
	port,
	tls_port,
	username,
	password,
	url,
}: CredentialsBody): Readonly<Record<string, string>> {
	return {
		SMTP_HOST: host,
		SMTP_PORT: String(port),
		...(tls_port !== null && {SMTP_TLS_PORT: String(tls_port)}),
		SMTP_USER: username,
		SMTP_PASSWORD: password,
		SMTP_URL: url,
		MAILER_DSN: url,
	};
}
