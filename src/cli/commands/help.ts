import {Argument, type Command} from 'commander';
import {daemonSettings, flagOf, settingNames, variableOf} from '../../config/settings.js';
import {faultPresets} from '../../contract/fault-presets.js';
import type {Context} from '../context.js';
import {helpWidth, twoColumns, wrapHelp} from '../help-layout.js';
import {exitCodes, exitMeanings, usageError} from '../output/exit.js';
import {commandTable} from '../program.js';
import type {trustVariables} from '../trust.js';

export function fillHelp(command: Command, context: Context): void {
	const names = Object.keys(helpTopics);
	const argument = new Argument('[words...]', `command, or topic: ${names.join(', ')}`);
	argument.argChoices = [...names, ...commandTable.flatMap(({name, section}) => (section ? [name] : []))];
	command
		.addArgument(argument)
		.action((words: readonly string[]) => printHelp(words, command.parent ?? command, context));
}

/** Prints the help of the program, a command or a topic. */
function printHelp(words: readonly string[], program: Command, {io}: Context): void {
	const topic = words.length === 1 && Object.entries(helpTopics).find(([name]) => name === words[0]);
	if (topic) {
		io.stdout.write(`${topic[1].text(helpWidth(io.stdout))}\n`);
	} else {
		find(words, program).outputHelp();
	}
}

function find(words: readonly string[], program: Command): Command {
	return words.reduce((command, word) => {
		const found = command.commands.find(candidate => candidate.name() === word);
		if (!found) {
			throw usageError(
				`There is no command or topic "${words.join(' ')}".`,
				'See all commands and topics: tinbox help',
			);
		}

		return found;
	}, program);
}

/** Local parts that trigger a fault, after the name of an inbox. */
const faultAddresses: Readonly<Record<string, string>> = {
	'signup+fail-451@…': 'reject the recipient with 451',
	'signup+fail-550-5.1.1@…': 'the same with an enhanced code',
	'signup+fail+550+no+such+user@…': 'the same with a text',
	'signup+greylist@…': 'reject the first attempt, accept the next one',
	'signup+delay-5s@…': 'delay the reply to the recipient by 5 seconds',
	'signup+drop@…': 'close the connection instead of replying',
	'signup+drop-after-commit@…': 'keep the mail, then close the connection without a reply',
	'signup+bounce+550+no+such+user@…': 'accept the mail, then send a bounce to its sender',
	'signup+complain@…': 'the same with a spam complaint',
	'signup+autoreply@…': 'the same with an automatic reply',
};

function faultsTopic(): string {
	const presets = Object.entries(faultPresets).map(
		([name, {description, fault}]) => [name, `${fault.stage}: ${description}`] as const,
	);
	return `A fault simulates a delivery failure in a repeatable way, to test how the app reacts. Faults belong to an inbox:

  addr=$(tinbox inbox create --fault greylist)     reject each first attempt
  tinbox faults add "$addr" tarpit --to ann        add a second fault
  tinbox faults wait "$addr" greylist              print hits; 124 on timeout
  tinbox faults hits "$addr"                       list all hits
  tinbox faults clear "$addr"                      delete all faults

If several faults match, the first one acts. In "tinbox watch", press F to see faults live. To receive a webhook for each hit: tinbox webhooks create <url> --event fault.hit

Presets, with the stage of the session:

${twoColumns(presets)}

Flags set or override each field. Without a preset, --stage is required:

  tinbox faults add "$addr" mailbox-full --times 3
  tinbox faults add "$addr" rate-limit --rate 2/10s
  tinbox faults add "$addr" --stage end --reply "451 4.3.0 Try again later" \\
    --per message --times 1 --subject /^Order/

Number of hits:
  --after        skip the first matches
  --times        maximum number of hits
  --per          count per recipient or per message
  --probability  hit at random; --seed makes it repeatable
  --ttl          lifetime of the fault

--drop before, mid or after-commit closes the connection. --delay and --byte-delay slow down the reply.

The stages are connect, helo, starttls, auth, mail, rcpt, data and end (after the final dot). The inbox of a connection is unknown at connect, helo and starttls, so an inbox cannot have faults there. At auth and mail, its faults apply only to clients that log in as the inbox. Faults of the daemon apply to all connections:

  tinbox faults add --daemon tls-fail
  tinbox run --fault greylist -- npm test

Fault addresses trigger a fault through the recipient, without a command. For the inbox "signup":

${twoColumns(Object.entries(faultAddresses))}

If an inbox has exactly that address, it receives the mail normally. --no-fault-addresses disables fault addresses for the daemon.`;
}

/** Configuration of an app, by provider. */
const settings = [
	['resend', 'none; the SDKs read RESEND_BASE_URL (Node.js), RESEND_API_URL (Python) and RESEND_API_KEY'],
	['ses', 'none; the SDKs read AWS_ENDPOINT_URL_SES and AWS_ENDPOINT_URL_SESV2. Any AWS keys are accepted'],
	['sendgrid', "client.setDefaultRequest('baseUrl', process.env.TINBOX_SENDGRID_URL)"],
	['postmark', 'requestHost from TINBOX_POSTMARK_URL, and useHttps: false'],
	['mailgun', 'mailgun.client({url: process.env.TINBOX_MAILGUN_URL, …})'],
] as const;

function sendingTopic(): string {
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

const exitNames = Object.keys(exitCodes) as ReadonlyArray<keyof typeof exitCodes>;

/** Variables of the command line. */
const cliVariables: Readonly<Record<string, string>> = {
	TINBOX_HOME: 'folder for settings, data, state and log, instead of the XDG directories',
	TINBOX_URL: 'base URL of the API to use; no daemon is started then',
	TINBOX_API_KEY: 'API key for inboxes, messages and webhooks (for "daemon run", see --api-key)',
	TINBOX_TOKEN: 'user token (teams, keys) or operator token (also users)',
	TINBOX_PROFILE: 'profile to use, like --profile',
	TINBOX_NO_START: 'if set, no command starts a daemon implicitly',
	TINBOX_INBOX: 'inbox for all mail of "tinbox sendmail": id, address or name',
	TINBOX_DEBUG: 'if set, errors include a stack trace',
	TINBOX_WEBHOOK_SECRET: 'signing secret for "tinbox webhooks"; flags are visible to other users',
	SMTP_HOST: 'SMTP host for "tinbox send" and "tinbox doctor" if the daemon reports none or is unreachable',
	PAGER: 'pager for long messages in "tinbox watch"',
	BROWSER: 'browser for "tinbox open" and "tinbox messages open"',
	NO_COLOR: 'if set, "tinbox watch" uses no colors',
	CI: 'if set, spinners are disabled',
};

/** Variables set by `tinbox run` and `--format env`. */
const exportedVariables: Readonly<Record<string, string>> = {
	SMTP_HOST: 'SMTP host for the app',
	SMTP_PORT: 'SMTP port',
	SMTP_USER: 'SMTP user name of the inbox, or from --smtp-auth',
	SMTP_PASSWORD: 'password of that user',
	SMTP_URL: 'SMTP URL with the credentials of an inbox',
	MAILER_DSN: 'the same URL for Symfony',
	SMTP_TLS_PORT: 'SMTP port with implicit TLS',
	RESEND_BASE_URL: 'Resend base URL (Node.js); also RESEND_API_URL (Python) and RESEND_API_KEY',
	AWS_ENDPOINT_URL_SES: 'Amazon SES base URL for the AWS SDKs; also AWS_ENDPOINT_URL_SESV2',
	TINBOX_SENDGRID_URL: 'SendGrid base URL, to be passed to the SDK',
	TINBOX_POSTMARK_URL: 'Postmark base URL, to be passed to the SDK',
	TINBOX_MAILGUN_URL: 'Mailgun base URL, to be passed to the SDK',
	TINBOX_SEND_KEY: 'API key for the sending APIs',
	TINBOX_URL: 'base URL of the API',
	TINBOX_API_KEY: 'API key',
	TINBOX_ADDRESS: 'address of the initial inbox ("tinbox run" only)',
	TINBOX_INBOX_ID: 'id of that inbox ("tinbox run" only)',
};

/** Readers of the variables that `tinbox tls env` sets. */
const trustedBy: Readonly<Record<(typeof trustVariables)[number], string>> = {
	NODE_EXTRA_CA_CERTS: 'Node.js',
	SSL_CERT_FILE: 'Python, Go, PHP, Ruby, Rust and other users of OpenSSL',
	REQUESTS_CA_BUNDLE: 'Python requests',
	CURL_CA_BUNDLE: 'curl',
	AWS_CA_BUNDLE: 'AWS SDKs',
	JAVA_TOOL_OPTIONS: 'Java',
};

const wrongNames = [
	['expired.', 'expired yesterday'],
	['wrong-host.', 'issued for another name'],
	['self-signed.', 'self-signed'],
	['untrusted.', 'issued by an untrusted CA'],
	['old-tls.', 'supports only TLS 1.1 and older'],
] as const;

type Topic = {
	readonly description: string;
	/** The text for a terminal of this width. */
	text(width?: number): string;
};

/** Help topics by name. */
export const helpTopics: Readonly<Record<string, Topic>> = {
	environment: topic('variables that tinbox reads and sets', () =>
		[
			'Flags take precedence over variables, variables over the settings file, and the settings file over defaults.',
			section('Command line:', cliVariables),
			section('Settings of the daemon:', settingVariables()),
			section('Set by "tinbox run" and "--format env":', exportedVariables),
		].join('\n\n'),
	),
	'exit-codes': topic('meaning of the exit codes', () =>
		[
			twoColumns(exitNames.map(name => [String(exitCodes[name]), exitMeanings[name]])),
			'An interrupted command ends with its signal, so that a surrounding shell loop also ends. "tinbox run" ends with the exit code or signal of its command.',
		].join('\n\n'),
	),
	formatting: topic(
		'output for people and programs',
		() => `Data is written to stdout, everything else to stderr.

On a terminal, lists are tables that fit its width. On a pipe or in a file, they are tab-separated, without headers or truncation, and times are ISO 8601.

  tinbox messages list signup | cut -f3

--json prints the API object; --json=id,subject prints only these fields. An unknown field is an error that lists all fields. Streaming commands print one object per line.

  tinbox messages wait signup --json=subject,received_at

With --json, an error is one object on stderr, and stdout is empty:

  {"error": {"code": "…", "message": "…", "hint": "…"}}

--field prints one plain value. Several --field flags print one value per line.

  code=$(tinbox messages wait signup --field code)
  link=$(tinbox messages wait signup --field 'link[/reset/]')`,
	),
	ci: topic(
		'tinbox in a CI pipeline',
		() => `Run the tests with a private tinbox:

  tinbox run -- npm test

It uses free ports, so parallel jobs on one machine do not conflict, and it is removed afterwards. The tests read SMTP_HOST, SMTP_PORT, TINBOX_URL and TINBOX_API_KEY from the environment. If the tests fail, the mail is kept for a day; stderr prints the folder. --keep <folder> always keeps the mail in that folder.

In a shell script:

  set -e
  eval "$(tinbox daemon start --until-exit $$ --format env)"
  addr=$(tinbox inbox create)
  curl -s https://app.local/signup -d "email=$addr"
  code=$(tinbox messages wait "$addr" --timeout 30s --field code)

This daemon also uses free ports. It is removed when the script exits.

A wait that times out exits with ${exitCodes.timedOut}. On stderr, it lists the messages that arrived. To show the result in the pipeline, add --report junit wait.xml. With TINBOX_NO_START=1, no command starts a daemon implicitly.`,
	),
	tls: topic(
		'TLS like in production, and clients that do not verify certificates',
		() => `The SMTP port offers STARTTLS, and --smtps-port uses TLS from the start. The certificates are issued by the private certificate authority (CA) of the daemon. Trusting the CA is safe: it is limited to localhost, loopback addresses, .test, and the names and private networks on which the daemon has listened. To list them: tinbox tls show

To trust the CA in addition to all other authorities:

  eval "$(tinbox tls env)"        programs started by this shell
  tinbox run --tls -- npm test    one command; also sets SMTP_TLS_PORT
  tinbox tls trust                the whole system; undo: tinbox tls untrust

${section('The first two create files and set these variables:', trustedBy)}

To use your own certificate: --tls-cert <name>=<cert.pem>,<key.pem>. With --tls off, the daemon does not offer TLS. "tinbox run" offers TLS only with --tls. With --tls require, it rejects unencrypted mail.

To test whether your app verifies certificates, send to a host with one of the prefixes below before localhost or the domain of the daemon, such as expired.tinbox.test. The certificate is invalid, so the app must not send the mail. Prefixes:

${twoColumns(wrongNames)}

DNS does not resolve these names. Some clients accept a server name in addition to the host:

  nodemailer  tls: {servername: 'expired.tinbox.test'}
  Go          tls.Config{ServerName: "expired.tinbox.test"}

curl resolves expired.localhost itself, and so do all programs on systems with systemd-resolved. Otherwise, add a line to /etc/hosts:

  127.0.0.1 expired.tinbox.test`,
	),
	faults: topic('simulated delivery failures', faultsTopic),
	sending: topic('mail sent with the API of a provider, such as Resend or Amazon SES', sendingTopic),
};

function topic(description: string, write: () => string): Topic {
	return {description, text: width => wrapHelp(write(), width)};
}

function settingVariables(): Readonly<Record<string, string>> {
	return Object.fromEntries(
		settingNames.map(name => [variableOf(name), `${flagOf(name)}: ${daemonSettings[name].description}`]),
	);
}

function section(title: string, rows: Readonly<Record<string, string>>): string {
	return `${title}\n${twoColumns(Object.entries(rows))}`;
}
