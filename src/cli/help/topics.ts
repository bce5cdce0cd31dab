import {daemonSettings, flagOf, settingNames, variableOf} from '../../config/settings.js';
import {exitCodes, exitMeanings} from '../output/exit.js';
import type {trustVariables} from '../trust/trust-env.js';
import {faultsTopic} from './faults.js';
import {sendingTopic} from './sending.js';
import {twoColumns} from './two-columns.js';

const exitNames = Object.keys(exitCodes) as ReadonlyArray<keyof typeof exitCodes>;

/** Variables of the CLI; those of the daemon's settings have the names of their flags. */
const cliVariables: Readonly<Record<string, string>> = {
	TINBOX_HOME: 'one folder for settings, mail, state and log, in place of the XDG base directories',
	TINBOX_URL: 'base address of the API of the daemon to use; none is started then',
	TINBOX_API_KEY: 'gives access to inboxes, messages and webhooks there (for "daemon run": see --api-key)',
	TINBOX_TOKEN: 'gives access to teams and keys there; the operator token also to users',
	TINBOX_PROFILE: 'which login to use, as --profile',
	TINBOX_NO_START: 'when set, no command starts a daemon on its own',
	TINBOX_INBOX: 'the inbox into which "tinbox sendmail" has all mail go, by its id, address or name',
	TINBOX_DEBUG: 'when set, an error also shows where it came from',
	TINBOX_WEBHOOK_SECRET: 'the secret for "tinbox webhooks verify"; as a flag, other users could see it',
	SMTP_HOST: 'where "tinbox send" and "tinbox doctor" send mail when the daemon does not say, or not one that answers',
	PAGER: 'the program in which "tinbox watch" shows a long message',
	BROWSER: 'the program in which "tinbox open" and "tinbox messages open" show their pages',
	NO_COLOR: 'when set, "tinbox watch" has no colours',
	CI: 'when set, nothing is animated',
};

/** What `tinbox run` and `--format env` set for others. */
const exportedVariables: Readonly<Record<string, string>> = {
	SMTP_HOST: 'where the app sends its mail',
	SMTP_PORT: 'the port there',
	SMTP_USER: 'who logs in there: an inbox ("tinbox inbox create" and "credentials"), or who --smtp-auth names',
	SMTP_PASSWORD: 'with which password',
	SMTP_URL: 'all of it as a URL, of an inbox',
	MAILER_DSN: 'the same for Symfony',
	SMTP_TLS_PORT: 'the port there on which TLS begins at once',
	RESEND_BASE_URL: 'where the SDK of Resend sends mail (Node.js); likewise RESEND_API_URL (Python) and RESEND_API_KEY',
	AWS_ENDPOINT_URL_SES: 'the same of the SDKs of AWS, with AWS_ENDPOINT_URL_SESV2; they have their keys from elsewhere',
	TINBOX_SENDGRID_URL: 'what an app is to hand to the SDK of SendGrid, which reads no variable',
	TINBOX_POSTMARK_URL: 'the same for Postmark',
	TINBOX_MAILGUN_URL: 'the same for Mailgun',
	TINBOX_SEND_KEY: 'the key that an app is to hand to these APIs',
	TINBOX_URL: 'base address of the API',
	TINBOX_API_KEY: 'gives access to it',
	TINBOX_ADDRESS: 'the address of a first inbox (only "tinbox run")',
	TINBOX_INBOX_ID: 'its id (only "tinbox run")',
};

/** Who reads what `tinbox tls env` sets. */
const trustedBy: Readonly<Record<(typeof trustVariables)[number], string>> = {
	NODE_EXTRA_CA_CERTS: 'Node.js',
	SSL_CERT_FILE: 'Python, Go, PHP, Ruby, Rust and whatever else uses OpenSSL',
	REQUESTS_CA_BUNDLE: 'requests for Python',
	CURL_CA_BUNDLE: 'curl',
	AWS_CA_BUNDLE: 'the SDKs of AWS',
	JAVA_TOOL_OPTIONS: 'Java',
};

const wrongNames = [
	['expired.', 'was good until yesterday'],
	['wrong-host.', 'is for another name'],
	['self-signed.', 'has nobody who vouches for it'],
	['untrusted.', 'is of an authority that nobody trusts'],
	['old-tls.', 'speaks TLS 1.1 at most'],
] as const;

type Topic = {readonly description: string; text(): string};

/** What `tinbox help` explains besides commands. */
export const helpTopics: Readonly<Record<string, Topic>> = {
	environment: {
		description: 'variables that tinbox reads, and those it sets',
		text: () =>
			[
				'Flags win over variables, variables over the settings file, the settings file over the defaults.',
				section('The command line:', cliVariables),
				section('Settings of a daemon:', settingVariables()),
				section('Set by "tinbox run" and "tinbox daemon start --format env":', exportedVariables),
			].join('\n\n'),
	},
	'exit-codes': {
		description: 'what each exit code means',
		text: () =>
			[
				twoColumns(exitNames.map(name => [String(exitCodes[name]), exitMeanings[name]])),
				`An interrupted command dies by its signal, so that a loop around it ends. "tinbox run" ends as its command did.`,
			].join('\n\n'),
	},
	formatting: {
		description: 'what goes where, for people and for programs',
		text: () => `Data goes to stdout, everything else to stderr.

On a terminal lists are tables, fitted to its width. Into a pipe or a file they are tab-separated, without
headers, nothing is cut off, and times are ISO 8601.

  tinbox messages list signup | cut -f3

--json prints the object of the API, --json=id,subject some of its fields; an unknown field is refused with the
list of all. Streaming commands print one object a line. An error under --json is one object on stderr,
{"error": {"code", "message", "hint"}}, and stdout stays empty.

  tinbox messages wait signup --json=subject,received_at

--field prints one bare value, several print a line each:

  code=$(tinbox messages wait signup --field code)
  link=$(tinbox messages wait signup --field 'link[/reset/]')`,
	},
	ci: {
		description: 'tinbox in a pipeline',
		text: () => `Give the tests a tinbox of their own. It takes free ports, so that jobs on one machine never meet, and it is
gone afterwards. When the tests fail, the mail is kept for a day, and stderr says where; --keep <folder> always keeps it there.

  tinbox run -- npm test

The tests find SMTP_HOST, SMTP_PORT, TINBOX_URL and TINBOX_API_KEY in their environment. In a shell script:

  eval "$(tinbox daemon start --smtp-port 0 --http-port 0 --format env)"
  addr=$(tinbox inbox create)
  curl -s https://app.local/signup -d "email=$addr"
  code=$(tinbox messages wait "$addr" --timeout 30s --field code) || exit 1
  tinbox daemon stop

A wait that timed out exits with ${exitCodes.timedOut} and says on stderr what came instead. With --report junit wait.xml the pipeline
shows that, too. TINBOX_NO_START=1 makes sure that no command starts a daemon on its own.`,
	},
	tls: {
		description: 'TLS as in production, and how to find clients that do not verify',
		text: () => `Mail is taken with STARTTLS on the SMTP port, and with TLS from the start on another one (--smtps-port). An authority of
this tinbox's own vouches for its certificates. It can vouch for nothing but localhost, loopback addresses, .test and the names and
private networks that the daemon has listened on, so that it does no harm to trust it. See them all: tinbox tls show

Have programs trust it, besides all that they trust now:

  eval "$(tinbox tls env)"        what this shell starts
  tinbox run --tls -- npm test    one command, which finds SMTP_HOST, SMTP_PORT and SMTP_TLS_PORT as well
  tinbox tls trust                everything on this system; undo it with: tinbox tls untrust

${section('The first two set, each to a file that is made for it:', trustedBy)}

A certificate of your own is taken by --tls-cert <name>=<cert.pem>,<key.pem>. A daemon with --tls off, as "tinbox run" has
it without --tls, offers no TLS to an app that is to send in the clear; --tls require takes no mail without it.

Does the app verify? Before the domain of the daemon, or before localhost, these names have certificates that are wrong on purpose. A
client that delivers there does not verify:

${twoColumns(wrongNames)}

No DNS knows them. Some clients take a name besides the host, as nodemailer does with tls: {servername: 'expired.tinbox.test'} and
Go with tls.Config{ServerName: "expired.tinbox.test"}; curl finds expired.localhost by itself, and so do all programs where systemd
looks names up. Elsewhere a line in /etc/hosts helps: 127.0.0.1 expired.tinbox.test`,
	},
	faults: {
		description: 'what can go wrong with mail on purpose',
		text: faultsTopic,
	},
	sending: {
		description: 'mail of an app that sends it by an API, as that of Resend or Amazon SES',
		text: sendingTopic,
	},
};

function settingVariables(): Readonly<Record<string, string>> {
	return Object.fromEntries(
		settingNames.map(name => [variableOf(name), `${flagOf(name)}: ${daemonSettings[name].description}`]),
	);
}

function section(title: string, rows: Readonly<Record<string, string>>): string {
	return `${title}\n${twoColumns(Object.entries(rows))}`;
}
