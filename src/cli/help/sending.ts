import {twoColumns} from './two-columns.js';

/** The change that an app needs for each provider. */
const settings = [
	['resend', 'none; the SDKs read RESEND_BASE_URL (Node.js), RESEND_API_URL (Python) and RESEND_API_KEY'],
	['ses', 'none; the SDKs read AWS_ENDPOINT_URL_SES and AWS_ENDPOINT_URL_SESV2. Any AWS keys are accepted'],
	['sendgrid', "client.setDefaultRequest('baseUrl', process.env.TINBOX_SENDGRID_URL)"],
	['postmark', 'requestHost from TINBOX_POSTMARK_URL, and useHttps: false'],
	['mailgun', 'mailgun.client({url: process.env.TINBOX_MAILGUN_URL, …})'],
] as const;

export function sendingTopic(): string {
	return `The API port also accepts mail in the format of sending APIs, at /send/<provider>, and in its own format at POST /v1/send. The mail is treated like any other: waits, webhooks and faults apply. Nothing is forwarded to the provider.

  tinbox run --send resend,ses -- npm test      SDK variables for a command
  eval "$(tinbox inbox create --format env)"    SDK variables for an inbox

Changes in the app:
${twoColumns(settings)}

If the app calls sendmail, as PHP does, see: tinbox sendmail --help

The API key determines the inbox:
  key of an inbox          all mail is delivered to that inbox, as with its SMTP login. The key is TINBOX_SEND_KEY, or send_key of the credentials
  <inbox>:<SMTP password>  the same
  any other key            mail is delivered to the inboxes of its recipients; --send-auth inbox rejects these keys

Mail to unknown recipients is accepted, as by the provider; wait timeouts and "tinbox doctor" report it. With --send-verified-domains shop.example, mail from other domains is rejected with the error of the provider.

Faults apply at auth (the key), rcpt (each recipient) and end (each mail). A 4xx reply becomes the rate-limit error of the provider with a retry time, a 5xx reply its rejection, 452 a full disk, and 552 a mail that is too large. See: tinbox help faults`;
}
