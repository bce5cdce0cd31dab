import {type SendProvider, sendProviders} from '../contract/constants.js';

/** Providers whose APIs have a base address of their own here. */
export type OtherProvider = Exclude<SendProvider, 'tinbox'>;

export const otherProviders = sendProviders.filter(name => name !== 'tinbox');

/** The variables that each SDK reads; where it reads none, those that an app is to hand to it. AWS reads its keys from elsewhere: any are taken. */
const variables: Readonly<Record<OtherProvider, (base: string, key: string) => Readonly<Record<string, string>>>> = {
	resend: (base, key) => ({RESEND_BASE_URL: base, RESEND_API_URL: base, RESEND_API_KEY: key}),
	ses: base => ({AWS_ENDPOINT_URL_SES: base, AWS_ENDPOINT_URL_SESV2: base}),
	sendgrid: base => ({TINBOX_SENDGRID_URL: base}),
	postmark: base => ({TINBOX_POSTMARK_URL: base}),
	mailgun: base => ({TINBOX_MAILGUN_URL: base}),
};

/** The variables by which programs send mail over these APIs; `url` is the address of `/v1`. */
export function sendEnv(
	providers: readonly OtherProvider[],
	url: string,
	key: string,
): Readonly<Record<string, string>> {
	const origin = url.replace(/\/v1\/?$/, '');
	const all = providers.map(name => variables[name](`${origin}/send/${name}`, key));
	return Object.assign({TINBOX_SEND_KEY: key}, ...all);
}
