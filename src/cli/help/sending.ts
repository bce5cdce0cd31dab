import {twoColumns} from './two-columns.js';

/** What an app is told, where its SDK reads no variable. */
const settings = [
	['resend', 'nothing: RESEND_BASE_URL (Node.js), RESEND_API_URL (Python) and RESEND_API_KEY are read'],
	['ses', 'nothing: AWS_ENDPOINT_URL_SES and AWS_ENDPOINT_URL_SESV2 are read; any AWS keys do, and are not checked'],
	['sendgrid', "client.setDefaultRequest('baseUrl', process.env.TINBOX_SENDGRID_URL)"],
	['postmark', 'requestHost and useHttps: false, of TINBOX_POSTMARK_URL'],
	['mailgun', 'mailgun.client({url: process.env.TINBOX_MAILGUN_URL, …})'],
] as const;

export function sendingTopic(): string {
	return `The port of the API also takes mail that an app sends by the API of a provider, below /send/<provider>, and POST /v1/send takes it in a
form of our own. It becomes a mail like any other: for waits, webhooks, faults and all else. Nothing of it goes anywhere else.

  tinbox run --send resend,ses -- npm test               sets what the SDKs read, for one command
  eval "$(tinbox inbox create --format env)"             the same for this shell, with the key of a new inbox

${twoColumns(settings)}

Does it call sendmail instead, as PHP does? See: tinbox sendmail --help

Which inbox? The key of an inbox (TINBOX_SEND_KEY above, send_key in its credentials) has all mail go there, as its SMTP login does; so has
<inbox>:<SMTP password>. With any other key mail goes where its recipients lead: --send-auth inbox refuses those. A recipient whom no
inbox takes is accepted, as the provider accepts it, and told by "tinbox doctor" and waits. --send-verified-domains shop.example refuses
mail from other domains, in the words of the provider.

Faults act on it at auth (the key), rcpt (each recipient) and end (each mail): a 4xx reply is the provider's "too many requests" with a
time to wait, a 5xx one its refusal, 452 a full disk and 552 a mail that is too large. See: tinbox help faults`;
}
