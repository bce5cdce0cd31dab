/**
 * @typedef {import('./operations.js').Document} Document
 * @typedef {{key: string, token: string, operator: string}} Credentials
 */

/**
 * Adds examples of existing resources to the parameters and bodies of a document, so that each operation can succeed.
 * Operations that delete have their own resources.
 * @template {Document} T
 * @param {T} document
 * @param {{url: string, credentials: Credentials}} daemon
 * @returns {Promise<T>}
 */
export async function addExamples(document, daemon) {
	const extended = structuredClone(document);
	const shared = await createResources(daemon);
	const keyId = await createKey(daemon);
	for (const [path, operations] of Object.entries(extended.paths)) {
		for (const [method, operation] of Object.entries(operations)) {
			/** @type {Record<string, string>} */
			const resources = {keyId, ...(method === 'delete' ? await createResources(daemon) : shared)};
			for (const parameter of operation.parameters ?? []) {
				const {name} = parameter;
				const example = resources[`${path} ${name}`] ?? resources[name];
				if (parameter.in === 'path' && example !== undefined) {
					parameter.example = example;
				}
			}

			if (operation.operationId === 'acceptInvite') {
				const {'application/json': body} = operation.requestBody?.content ?? {};
				Object.assign(body ?? {}, {example: {token: resources['inviteToken']}});
			}
		}
	}

	return extended;
}

/**
 * Creates one resource of each kind. Returns their ids by parameter name.
 * @param {{url: string, credentials: Credentials}} daemon
 * @returns {Promise<Record<string, string>>}
 */
async function createResources({url, credentials: {key, token, operator}}) {
	const asUser = asker(url, {Authorization: `Bearer ${token}`});
	const asOperator = asker(url, {Authorization: operator});
	const ask = asker(url, {'X-API-Key': key});
	const email = `other-${process.hrtime.bigint()}@localhost`;
	const {id: userId} = await asOperator('POST', '/users', {name: 'other', email, plan: 'business'});
	const other = await asOperator('POST', `/users/${userId}/tokens`, {});
	const asOther = asker(url, {Authorization: `Bearer ${other.token}`});
	const me = await asUser('GET', '/users/me');

	const {id: teamId} = await asUser('POST', '/teams', {name: 'suite'});
	await asOther('POST', '/teams/invites/accept', await invitation(asUser, teamId, email));
	const {id: othersTeam} = await asOther('POST', '/teams', {name: 'other'});
	const invite = await invitation(asOther, othersTeam, me.email);

	const {id: inboxId, email_address: to} = await ask('POST', '/inboxes', {});
	const attachments = [{filename: 'a.txt', content: 'aGk='}];
	const mail = {
		from: to,
		to,
		subject: 'Your code',
		html: '<p>Code 123456 <a href="https://app.test">here</a>',
		attachments,
	};
	const sent = await ask('POST', '/send', mail);
	const messageId = sent.message_ids[0];
	const message = await ask('GET', `/inboxes/${inboxId}/messages/${messageId}`);
	const preview = await ask('POST', `/inboxes/${inboxId}/messages/${messageId}/preview`);
	const fault = {stage: 'rcpt', reply: '451 4.7.1 Try again later', match: {to: 'nobody@example.com'}};
	const inboxFault = await ask('POST', `/inboxes/${inboxId}/faults`, fault);
	const daemonFault = await ask('POST', '/faults', fault);

	const {id: endpointId} = await ask('POST', '/webhooks', {url: 'http://127.0.0.1:9/'});
	const {delivery} = await ask('POST', `/webhooks/${endpointId}/test`);
	const templateId = `suite-${process.hrtime.bigint()}`;
	await ask('PUT', `/templates/resend/${templateId}`, {subject: 'Hello'});
	return {
		...{userId, teamId, inboxId, messageId, endpointId, templateId, provider: 'resend'},
		attachmentId: message.attachments[0].id,
		faultId: inboxFault.id,
		'/faults/{faultId} faultId': daemonFault.id,
		'/faults/{faultId}/hits faultId': daemonFault.id,
		deliveryId: delivery.id,
		token: preview.url.split('/').at(-1),
		sessionId: await openSession(url, key),
		inviteToken: invite.token,
	};
}

/**
 * Creates the key that all operations share: creating keys is rate-limited.
 * @param {{url: string, credentials: Credentials}} daemon
 */
async function createKey({url, credentials: {token}}) {
	return (await asker(url, {Authorization: `Bearer ${token}`})('POST', '/inboxes/keys', {})).id;
}

/** @param {Ask} ask @param {string} teamId @param {string} email */
async function invitation(ask, teamId, email) {
	const {token} = await ask('POST', `/teams/${teamId}/invite`, {email});
	return {token};
}

/**
 * Opens a web session with a key and returns its id.
 * @param {string} url
 * @param {string} key
 */
async function openSession(url, key) {
	const app = url.replace(/\/v1$/, '/app');
	await asker(app, {'X-API-Key': key, 'X-Tinbox-App': '1'})('POST', '/session');
	const {web_sessions: sessions} = await asker(url, {'X-API-Key': key})('GET', '/web-sessions');
	return sessions[0].id;
}

/**
 * @typedef {(method: string, path: string, body?: object) => Promise<any>} Ask sends a request; rejects unless it succeeds
 * @param {string} url
 * @param {Record<string, string>} credentials
 * @returns {Ask}
 */
function asker(url, credentials) {
	return async (method, path, body) => {
		const headers = {...credentials, ...(body && {'Content-Type': 'application/json'})};
		const answer = await fetch(`${url}${path}`, {method, headers, ...(body && {body: JSON.stringify(body)})});
		const text = await answer.text();
		if (!answer.ok) {
			throw new Error(`${method} ${path}: ${text}`);
		}

		return JSON.parse(text);
	};
}
