import {
	type CredentialsBody,
	createdInboxSchema,
	createInboxSchema,
	credentialsSchema,
	type InboxBody,
	type InboxBounce,
	inboxListSchema,
	inboxSchema,
	listInboxesSchema,
	updateInboxSchema,
} from '../../contract/inboxes.js';
import {type HostPort, hostPort} from '../../lib/io/hosts.js';
import type {CountedInbox} from '../../services/inboxes/inboxes.js';
import type {InboxCredentials} from '../../services/inboxes/logins.js';
import type {Services} from '../services.js';
import {addressFor, smtpAddressFor} from './daemon.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';

const single = '/inboxes/:inboxId';

export const inboxOperations = {
	create: {
		route: 'POST /inboxes',
		id: 'createInbox',
		summary: 'Create an inbox',
		description:
			'The body `{}` creates an inbox with a random address. With `ttl`, the inbox and its mail are deleted after that many seconds. The address `*@domain` receives the mail of a whole domain; `*` receives all mail that no other inbox receives.',
		body: createInboxSchema,
		example: {name: 'signup'},
		command: 'tinbox inbox create --name signup',
		status: 201,
		response: createdInboxSchema,
		errors: ['not_found', 'forbidden', 'address_taken', 'limit_reached'],
		locationParam: 'inboxId',
	},
	list: {
		route: 'GET /inboxes',
		id: 'listInboxes',
		summary: 'List inboxes',
		description: 'Returns the inboxes of the caller and of the caller’s teams, the newest first.',
		query: listInboxesSchema,
		command: 'tinbox inbox list',
		response: inboxListSchema,
		responseIds: {inboxId: 'inboxes/0/id'},
	},
	get: {
		route: `GET ${single}`,
		id: 'getInbox',
		summary: 'Get an inbox',
		command: 'tinbox inbox show signup',
		response: inboxSchema,
	},
	update: {
		route: `PATCH ${single}`,
		id: 'updateInbox',
		summary: 'Update an inbox',
		description: 'Fields that are left out keep their values.',
		body: updateInboxSchema,
		example: {name: 'login'},
		command: 'tinbox inbox update signup --name login',
		response: inboxSchema,
		errors: ['forbidden'],
	},
	delete: {
		route: `DELETE ${single}`,
		id: 'deleteInbox',
		summary: 'Delete an inbox and its mail',
		command: 'tinbox inbox delete signup',
	},
	credentials: {
		route: `GET ${single}/credentials`,
		id: 'getCredentials',
		summary: 'Get the credentials of an inbox',
		description:
			'Returns the SMTP login and the send key. Mail sent with them is stored in this inbox, whatever its recipients are, unless the `routing` of the inbox is `recipients`.',
		command: 'tinbox inbox credentials signup',
		response: credentialsSchema,
	},
	rotateCredentials: {
		route: `POST ${single}/credentials/rotate`,
		id: 'rotateCredentials',
		summary: 'Replace the credentials of an inbox',
		description: 'Returns a new password and a new send key. The old ones stop working immediately.',
		command: 'tinbox inbox credentials signup --rotate',
		response: credentialsSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;

export function addInboxRoutes(routes: Routes, {inboxes, logins, smtpSettings, tls}: Services): void {
	routes.add(inboxOperations.create, async ({ctx, user, body}) => {
		const {team_id: teamId, email_address: address, ttl: ttlSeconds, bounce, keep_for, ...others} = body;
		const created = await inboxes.create(user, {
			...others,
			bounce: bounce && inboxBounce(bounce),
			keepForMs: keep_for && keep_for * 1000,
			teamId,
			address,
			ttlSeconds,
		});
		const smtp = smtpSettings.address();
		return {
			...inboxBody(created),
			smtp: smtp
				? credentialsBody(await logins.credentialsOf(created.inbox), addressFor(ctx, smtp), tls.smtps()?.port)
				: null,
		};
	});

	routes.add(inboxOperations.list, async ({user, query: {email_address: address, name, ...page}}) => {
		const list = await inboxes.list(user, page, {address, name});
		return {inboxes: list.inboxes.map(inboxBody), total: list.total, ...page};
	});

	routes.add(inboxOperations.get, async ({user, params}) => inboxBody(await inboxes.get(user, params.inboxId)));

	routes.add(inboxOperations.update, async ({user, params, body}) => {
		const {team_id: teamId, bounce, keep_for, ...others} = body;
		const patch = {
			...others,
			...(teamId !== undefined && {teamId}),
			...(bounce !== undefined && {bounce: bounce && inboxBounce(bounce)}),
			...(keep_for !== undefined && {keepForMs: keep_for && keep_for * 1000}),
		};
		return inboxBody(await inboxes.update(user, params.inboxId, patch));
	});

	routes.add(inboxOperations.delete, async ({user, params}) => inboxes.delete(user, params.inboxId));

	routes.add(inboxOperations.credentials, async ({ctx, user, params}) =>
		credentialsBody(
			await logins.credentials(user, params.inboxId),
			smtpAddressFor(ctx, smtpSettings),
			tls.smtps()?.port,
		),
	);

	routes.add(inboxOperations.rotateCredentials, async ({ctx, user, params}) => {
		const smtp = smtpAddressFor(ctx, smtpSettings);
		return credentialsBody(await logins.rotate(user, params.inboxId), smtp, tls.smtps()?.port);
	});
}

function inboxBounce({status, delay_ms: delayMs}: InboxBounce) {
	return {status, delayMs};
}

export function inboxBody({inbox, messageCount, evicted}: CountedInbox): InboxBody {
	return {
		id: inbox.id,
		email_address: inbox.address,
		name: inbox.name,
		message_count: messageCount,
		team_id: inbox.teamId,
		routing: inbox.routing,
		bounce: inbox.bounce ? {status: inbox.bounce.status, delay_ms: inbox.bounce.delayMs} : null,
		simulator: inbox.simulator ?? false,
		keep: inbox.keep ?? null,
		keep_for: inbox.keepForMs == null ? null : inbox.keepForMs / 1000,
		evicted,
		expires_at: inbox.expiresAt,
		created_at: inbox.createdAt,
	};
}

function credentialsBody(
	{username, password, sendKey}: InboxCredentials,
	smtp: HostPort,
	tlsPort: number | undefined,
): CredentialsBody {
	const url = `smtp://${username}:${password}@${hostPort(smtp)}`;
	return {...smtp, tls_port: tlsPort ?? null, username, password, url, send_key: sendKey};
}
