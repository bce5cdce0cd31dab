import net from 'node:net';

/** @typedef {import('./attacks.js').AttackFunction} AttackFunction */

const kibibyte = 1024;
const json = {'content-type': 'application/json'};

/** Headers of a sending API. By default, the daemon accepts any text as a key. */
const resend = (/** @type {string} */ key) => ({...json, authorization: `Bearer ${key}`});
const postmark = (/** @type {string} */ key) => ({...json, 'x-postmark-server-token': key});

/** @param {string} to */
const smallMail = to => ({from: 'a@b.test', to, subject: 's', text: 't'});

/**
 * Attacks with small requests that cause much work, or work that is charged to somebody else. The numbers are findings of the
 * second penetration test.
 * @type {Record<string, AttackFunction>}
 */
export const costAttacks = {
	// Finding 1.
	async 'bounces to servers that send empty lines'(attacker) {
		const {path, ids} = await attacker.inboxWith(plainMail);
		const ports = await Promise.all([emptyLines(''), emptyLines('220 a\r\n250 a\r\n250 a\r\n250 a\r\n354 a\r\n')]);
		attacker.repeat(20, turn =>
			attacker.ask('POST', `${path}/${ids[0]}/bounce`, {to: `smtp://127.0.0.1:${ports[turn % ports.length]}`}),
		);
	},
	// Finding 3.
	async 'idempotency keys with answers of 25 MB'(attacker) {
		const name = 'x'.repeat(24_900_000);
		const mail = {from: 'a@b.test', to: 'nobody@nowhere.test', template: {id: 'none', variables: {[name]: 1}}};
		const body = JSON.stringify([mail]);
		attacker.repeat(2, turn => {
			const headers = {'x-batch-validation': 'permissive', 'idempotency-key': `large-${turn}`};
			return attacker.post('/send/resend/emails/batch', {...resend('re_large'), ...headers}, body);
		});
	},
	// Finding 4.
	async 'templates that turn 10 KB into 250 MB of mail'(attacker) {
		const {address} = await attacker.inbox();
		const html = `{{#each rows}}${'x'.repeat(400 * kibibyte)}{{/each}}`;
		await attacker.json('PUT', '/templates/postmark/large', {html, subject: 's'});
		const mail = {From: 'a@b.test', To: address, TemplateAlias: 'large', TemplateModel: {rows: [1, 2, 3, 4, 5, 6]}};
		const body = JSON.stringify({Messages: Array(100).fill(mail)});
		attacker.repeat(8, turn =>
			attacker.post('/send/postmark/email/batchWithTemplates', postmark(`large-${turn}`), body),
		);
	},
	// Finding 5.
	async 'batches of 10 calls of /mcp'(attacker) {
		const {address} = await attacker.inboxWith(...Array(20).fill(plainMail));
		const session = await mcpSession(attacker);
		attacker.repeat(10, () => attacker.post('/mcp?inbox=all', session, calls('list_messages', {inbox: address})));
	},
	async 'waits by /mcp'(attacker) {
		const {address} = await attacker.inbox();
		const session = await mcpSession(attacker);
		const wait = {inbox: address, timeout: 55};
		attacker.repeat(60, () => attacker.post('/mcp?inbox=all', session, calls('wait_for_message', wait)));
	},
	// Finding 6.
	async 'batches of 100 mails on 64 connections'(attacker) {
		const body = JSON.stringify(Array(100).fill(smallMail('nobody@nowhere.test')));
		attacker.repeat(64, turn => attacker.post('/send/resend/emails/batch', resend(`re_${turn % 64}`), body));
	},
	async 'requests for 1,000 mails'(attacker) {
		const to = (/** @type {number} */ index) => ({to: [{email: `n${index}@nowhere.test`}]});
		const personalizations = Array.from({length: 1000}, (_, index) => to(index));
		const content = [{type: 'text/plain', value: 't'}];
		const body = JSON.stringify({personalizations, from: {email: 'a@b.test'}, subject: 's', content});
		attacker.repeat(4, turn => attacker.post('/send/sendgrid/v3/mail/send', resend(`SG.${turn}`), body));
	},
	async 'requests on 64 connections'(attacker) {
		attacker.repeat(64, () => attacker.ask('GET', '/inboxes'));
	},
	// Finding 7.
	async 'templates of a user, filled by somebody else'(attacker) {
		const list = Array.from({length: 10_000}, (_, index) => index);
		const model = {rows: list, columns: list.slice(0, 100)};
		const mail = {From: 'a@b.test', To: attacker.victim, TemplateAlias: 'table', TemplateModel: model};
		const body = JSON.stringify(mail);
		attacker.repeat(16, turn => attacker.post('/send/postmark/email/withTemplate', postmark(`fill-${turn}`), body));
	},
	// Finding 8.
	async 'bodies that arrive byte by byte with many keys'(attacker) {
		attacker.repeat(46, turn => attacker.drip('/send/resend/emails', resend(`re_drip_${turn}`), 300_000));
	},
	// Finding 9.
	async 'credential rotations of 400 inboxes'(attacker) {
		/** @type {string[]} */
		const ids = [];
		await attacker.times(400, async () => ids.push((await attacker.inbox()).id));
		attacker.maxSockets = 800;
		attacker.repeat(800, turn => attacker.ask('POST', `/inboxes/${ids[turn % ids.length]}/credentials/rotate`));
	},
	// Finding 11.
	async '200 templates of 1 MB'(attacker) {
		const text = 'x'.repeat(500 * kibibyte);
		attacker.repeat(8, turn => attacker.ask('PUT', `/templates/resend/t${turn % 200}`, {html: text, text}));
	},
	// Finding 12.
	async 'bounces to servers that say nothing'(attacker) {
		const {path, ids} = await attacker.inboxWith(plainMail);
		const port = await listen(() => {});
		attacker.maxSockets = 600;
		attacker.repeat(600, () => attacker.ask('POST', `${path}/${ids[0]}/bounce`, {to: `smtp://127.0.0.1:${port}`}));
	},
};

const plainMail = 'From: worst@sender.test\r\nSubject: x\r\n\r\nx';

/**
 * Starts a server on loopback and returns its port.
 * @param {(socket: net.Socket) => void} serve
 * @returns {Promise<number>}
 */
async function listen(serve) {
	const server = net.createServer(socket => {
		socket.on('error', () => {}).resume();
		serve(socket);
	});
	await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
	const own = server.address();
	return typeof own === 'object' && own ? own.port : 0;
}

/**
 * Starts a server that sends empty lines without an end after the replies.
 * @param {string} replies
 */
function emptyLines(replies) {
	const lines = '\r\n'.repeat(32 * kibibyte);
	return listen(socket => {
		const flood = () => {
			while (!socket.destroyed && socket.write(lines)) {
				// Fill the buffer.
			}
		};
		socket.write(replies);
		socket.on('drain', flood);
		flood();
	});
}

/**
 * Starts a session of the MCP server and returns its headers.
 * @param {import('./attacker.js').Attacker} attacker
 */
async function mcpSession(attacker) {
	const accept = 'application/json, text/event-stream';
	const headers = {...json, accept, 'x-api-key': attacker.client.headers['x-api-key'] ?? ''};
	const params = {protocolVersion: '2025-03-26', capabilities: {}, clientInfo: {name: 'worst', version: '1'}};
	const begun = await fetch(new URL('/mcp?inbox=all', attacker.client.url), {
		method: 'POST',
		headers,
		body: JSON.stringify({jsonrpc: '2.0', id: 0, method: 'initialize', params}),
	});
	await begun.body?.cancel();
	const session = begun.headers.get('mcp-session-id');
	return {...headers, ...(session !== null && {'mcp-session-id': session})};
}

/**
 * A batch of calls of a tool, as large as allowed.
 * @param {string} name
 * @param {object} args
 */
function calls(name, args) {
	const call = (/** @type {number} */ id) => ({
		jsonrpc: '2.0',
		id,
		method: 'tools/call',
		params: {name, arguments: args},
	});
	return JSON.stringify(Array.from({length: 10}, (_, index) => call(index + 1)));
}
