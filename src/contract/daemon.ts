import {z} from 'zod';
import {
	amountField,
	type Body,
	clientField,
	hostPortField,
	nullableText,
	pageParameters,
	portField,
	responseObject,
	timeField,
} from './common.js';
import {refusalStages} from './constants.js';

const versionField = z.string().describe('Version of tinbox.');

/** Response of `GET /v1/health`, which needs no credentials. */
export const healthSchema = responseObject('Health', {
	status: z
		.enum(['ok', 'degraded'])
		.describe('`degraded` while the store is unavailable: the daemon runs, but reads and writes fail.'),
	version: versionField,
	smtp: hostPortField
		.describe('Address of the SMTP listener; only if it accepts mail and the request has an API key or a token.')
		.optional(),
});

export type HealthBody = Body<typeof healthSchema>;

/** Response of `GET /v1/ready` while the daemon can serve requests and accept mail; otherwise a problem with status 503. */
export const readySchema = responseObject('Ready', {
	status: z.literal('ready').describe('Always `ready`; otherwise the request fails with 503.'),
	version: versionField,
});

export type ReadyBody = Body<typeof readySchema>;

/** TLS settings of a daemon. */
const tlsSchema = responseObject('Tls', {
	mode: z
		.enum(['off', 'offer', 'require'])
		.describe('STARTTLS on the SMTP port: not offered (`off`), offered (`offer`) or required (`require`).'),
	smtps: hostPortField.nullable().describe('Address of the SMTPS listener (implicit TLS); null if there is none.'),
	https_url: nullableText.describe('Base address of the API over TLS, ending in `/v1`; null if there is none.'),
	ca: nullableText.describe(
		'Certificate of the CA (certificate authority) that signs the certificates of the daemon, as PEM; null if there is none.',
	),
});

export type TlsBody = Body<typeof tlsSchema>;

/** Response of `GET /v1/daemon`. */
export const daemonSchema = responseObject('Daemon', {
	version: versionField,
	domain: z.string().describe('Domain of generated inbox addresses.'),
	smtp: z
		.object({
			host: z.string(),
			port: portField,
			auth_mode: z
				.enum(['any', 'inbox', 'login'])
				.describe(
					'SMTP authentication: everybody can send (`any`), only logins of inboxes (`inbox`), or also one configured login (`login`). Logins of inboxes can always send.',
				),
			auth: z
				.object({user: z.string(), password: z.string()})
				.nullable()
				.describe('Configured login; null unless `auth_mode` is `login`.'),
			auth_needs_tls: z.boolean().describe('True if SMTP logins require TLS.'),
		})
		.describe('SMTP listener.'),
	tls: tlsSchema.describe('TLS settings.'),
});

export type DaemonBody = Body<typeof daemonSchema>;

/** Daemon process; several nodes can share a store. */
const nodeSchema = responseObject('Node', {
	id: z.string().describe('Id of the node.'),
	name: z.string().describe('Host name of the node.'),
	version: z.string().describe('Version of tinbox on the node.'),
	address: z.string().describe('Host and port of the HTTP listener.'),
	since: timeField.describe('Time when the node started.'),
	heartbeat_at: timeField.describe('Time of the last heartbeat.'),
	waits: amountField.describe('Number of open long polls and event streams.'),
	sessions: amountField.describe('Number of open SMTP connections.'),
	state: z.enum(['up', 'lost']).describe('`lost` after 10 s without a heartbeat.'),
});

export type NodeBody = Body<typeof nodeSchema>;

/** Response of `GET /v1/nodes`. */
export const nodeListSchema = responseObject('NodeList', {
	nodes: z.array(nodeSchema).describe('Nodes, the oldest first.'),
});

export type NodeListBody = Body<typeof nodeListSchema>;

/** Refused or failed mail; a mail to several recipients has one refusal for each recipient concerned. */
export const refusalSchema = responseObject('Refusal', {
	time: timeField.describe('Time of the rejection.'),
	client: clientField,
	stage: z.enum(refusalStages).describe('Stage of the session; `connect` covers everything that is not about a mail.'),
	address: nullableText.describe(
		'Recipient; at `mail` the sender, at `auth` the inbox of the attempted login. Null if none is known.',
	),
	reply: nullableText.describe('SMTP reply sent; null if the client disconnected first.'),
	reason: z.string().describe('Reason of the rejection in words.'),
});

export type RefusalBody = Body<typeof refusalSchema>;

export const refusalListSchema = responseObject('RefusalList', {
	refusals: z.array(refusalSchema).describe('Rejected mail, the newest first.'),
});

export type RefusalListBody = Body<typeof refusalListSchema>;

/** Query of the list of refusals. */
export const listRefusalsSchema = z.strictObject({limit: pageParameters.limit});
