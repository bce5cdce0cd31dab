import {type DaemonSettings, daemonSettings, settingNames, usageOf} from '../../src/config/settings.js';
import {
	defaultLimit,
	faultLimits,
	maxBounceDelayMs,
	maxLimit,
	maxPatternLength,
	maxTemplateBytes,
	maxTemplates,
	maxTogether,
	maxWait,
} from '../../src/contract/constants.js';
import {inviteLifetimeMs} from '../../src/domain/accounts/team.js';
import {maxAttempts, maxPerEndpoint} from '../../src/domain/webhooks/delivery.js';
import {formatDuration, formatSize} from '../../src/lib/text/units.js';
import {maxResponseBytes} from '../../src/outbound/webhook-sender.js';
import {maxRecipients} from '../../src/send/tinbox.js';
import {maxCandidates} from '../../src/services/messages/search.js';
import {maxKept as maxRefusals} from '../../src/services/refusals.js';
import {code, generated, page, sentence, table} from './markdown.js';
import {defaultOf} from './settings-page.js';

type Name = keyof DaemonSettings;

/** Names of limits that settings define; other limits use their description. */
const bounded: Readonly<Record<string, string>> = {
	maxMessageSize: 'bytes of one mail',
	maxConnections: 'open SMTP connections',
	maxHttpConnections: 'open HTTP connections',
	maxPipelined: 'requests waiting on one HTTP connection',
	maxInboxes: 'inboxes',
	maxEndpoints: 'webhook endpoints',
	maxTeams: 'teams',
	maxMembers: 'members of a team, open invites included',
	maxMessages: 'messages; one with a very long header counts as several',
	maxStored: 'bytes of stored mail',
	maxDeliveries: 'unfinished webhook deliveries',
	maxPolls: 'open long polls',
	maxStreams: 'open event streams',
	keep: 'messages that an inbox keeps',
	keepForMs: 'age of a message',
	webhookKeep: 'finished deliveries in the log of an endpoint',
	webhookKeepForMs: 'age of a delivery in the log',
};

/** Limits that no setting changes. */
const fixed: ReadonlyArray<readonly [heading: string, rows: ReadonlyArray<readonly [what: string, limit: string]>]> = [
	[
		'HTTP API',
		[
			['rows per page, and default', `${maxLimit}, ${defaultLimit}`],
			['seconds that one request can wait', String(maxWait)],
			['JSON body', '1 MiB'],
			['body of which 64 KiB arrive in more than 2 seconds', '30 seconds; 2 if another client waits'],
			['any body while another client waits', '15 seconds'],
			['header of a request', '16 KiB'],
			['mails imported by one request', `${maxTogether.mails}`],
			['mails read by one request', `${maxTogether.mails}, ${formatSize(maxTogether.bytes)} together`],
			['characters of a filter', number(maxPatternLength)],
			['steps of a regular expression', '5,000'],
			['messages that `contains`, `header`, `has` and `link` look at', `the newest ${number(maxCandidates)}`],
			['new API keys of a user', '10 per minute'],
		],
	],
	[
		'SMTP',
		[
			['recipients of one mail', '100'],
			['failed logins from one address', '10 per minute, then `421`'],
			['idle session', '5 minutes'],
			['time for one mail', '10 minutes'],
			['TLS handshake', '15 seconds'],
			['refusals that are remembered', `the newest ${number(maxRefusals)}`],
		],
	],
	[
		'Sending APIs',
		[
			['recipients of one mail', number(maxRecipients)],
			[
				'memory of an `Idempotency-Key`',
				'24 hours; if all together exceed 32 MiB (64 MiB on PostgreSQL), the user with the most loses the oldest ones earlier',
			],
			['templates of a user', number(maxTemplates)],
			['size of the templates of a user', formatSize(maxTemplateBytes.perUser)],
			['size of the templates of all users', formatSize(maxTemplateBytes.inAll)],
			['size of the mails of one request that templates fill in', '64 MiB'],
			['text or HTML of a template', '500 KiB'],
			['value that fills in a template', '1,048,576 characters'],
		],
	],
	[
		'Faults and bounces',
		[
			['faults of an inbox, and of the daemon', number(faultLimits.faults)],
			['hits that are kept', 'the newest 1,000 of an inbox'],
			['delay of a reply', code(formatDuration(faultLimits.delayMs))],
			['delay of each byte', code(formatDuration(faultLimits.byteDelayMs))],
			['rate', `${number(faultLimits.rateCount)} per ${code(formatDuration(faultLimits.rateSeconds * 1000))}`],
			['characters of a reply', number(faultLimits.replyLength)],
			['delay of a bounce', code(formatDuration(maxBounceDelayMs))],
		],
	],
	[
		'Webhooks',
		[
			['simultaneous attempts per endpoint', number(maxPerEndpoint)],
			['simultaneous attempts of all endpoints', '512; fewer if the limit of open files is below 5,000'],
			[
				'simultaneous connections to other mail servers, for bounces',
				'64; fewer if the limit of open files is below 3,000',
			],
			['answer of a mail server to a bounce', '64 KiB, and 1 second for QUIT'],
			['duration of an attempt', '15 seconds'],
			['attempts per delivery', number(maxAttempts)],
			['answer that is kept', formatSize(maxResponseBytes)],
			['webhooks that one mail can trigger', '1,000; further recipients get `452`'],
		],
	],
	[
		'Accounts',
		[
			['invite', `${code(formatDuration(inviteLifetimeMs))}, once`],
			['token of a user', '30 days unless `--expires-in` says otherwise, 10 years at most'],
			['session of a browser', '12 hours; 50 per user'],
			['failed logins to the web page from one address', '60 per minute, then `429`'],
			['login link of `tinbox open`', '1 minute, once'],
			['link to a message (`tinbox messages open`)', '10 minutes'],
		],
	],
];

/** The page about limits. */
export function limitsPage(): string {
	const names = settingNames.filter(name => name in bounded || name.startsWith('max'));
	return page([
		'# Limits',
		generated,
		'Every amount has a limit that ordinary use does not reach.',
		'## At a limit',
		`- The HTTP API answers \`429\` with the code \`limit_reached\`. SMTP answers \`452\`, or \`421\` for connections.
  Each names the setting to raise, and what makes room.
- A full disk is not a limit: SMTP answers \`452\`, the API \`507\`. Reading and deleting still work, and the daemon recovers by itself.
- Beyond \`--max-deliveries\`, mail is still accepted. Deliveries without room are \`dead\` at once and can be redelivered.
- Connections also have to fit into the limit of open files (\`ulimit -n\`). If it is too low, the log has a warning at the start.
- Webhook attempts beyond the limit wait; users take turns. A bounce to another mail server that waits for 15 seconds gets \`429\`.
- \`--keep\` does not make room for \`--max-messages\`: the new message needs room before the oldest one is deleted.`,
		'## Limits with a setting',
		'Two values are the limit per user and the limit of all users together.',
		table(
			['Limit on', 'Setting', 'Default'],
			names.map(name => [
				bounded[name] ?? sentence(daemonSettings[name].description),
				code(usageOf(name as Name)),
				defaultOf(name).replace('/', '` / `'),
			]),
		),
		'What each plan allows is in [users and teams](../operate/users-and-teams.md#plans).',
		'## Fixed limits',
		...fixed.flatMap(([heading, rows]) => [`### ${heading}`, table(['Limit on', 'Limit'], rows)]),
	]);
}

function number(value: number): string {
	return value.toLocaleString('en-US');
}
