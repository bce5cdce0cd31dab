import {type BounceBody, bounceSchema, createBounceSchema, createReplySchema} from '../../contract/bounces.js';
import type {SentBounce} from '../../services/bounces/bounces.js';
import type {Services} from '../services.js';
import {messagePath} from './messages.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';

/** Fields that the operations share. */
const common = {status: 201, response: bounceSchema, errors: ['no_bounce', 'undelivered']} as const;

export const bounceOperations = {
	bounce: {
		route: `POST ${messagePath}/bounce`,
		id: 'bounceMessage',
		summary: 'Bounce a message',
		description:
			'Sends a delivery status notification (RFC 3464) to the envelope sender. It is delivered to the inbox of the sender, or to the server given in `to`.',
		body: createBounceSchema,
		example: {status: '5.1.1'},
		command: 'tinbox messages bounce signup latest',
		...common,
	},
	complain: {
		route: `POST ${messagePath}/complain`,
		id: 'complainAboutMessage',
		summary: 'Send a spam complaint about a message',
		description:
			'Sends an abuse report (RFC 5965) to the envelope sender. It is delivered to the inbox of the sender, or to the server given in `to`.',
		body: createReplySchema,
		example: {},
		command: 'tinbox messages complain signup latest',
		...common,
	},
	autoreply: {
		route: `POST ${messagePath}/autoreply`,
		id: 'autoreplyToMessage',
		summary: 'Send an automatic reply to a message',
		description:
			'Sends an out-of-office reply (RFC 3834) to the envelope sender. It is delivered to the inbox of the sender, or to the server given in `to`.',
		body: createReplySchema,
		example: {},
		command: 'tinbox messages autoreply signup latest',
		...common,
	},
} as const satisfies Readonly<Record<string, Operation>>;

export function addBounceRoutes(routes: Routes, {bounces}: Services): void {
	routes.add(bounceOperations.bounce, async ({user, params, body}) => {
		return bounceBody(await bounces.create(user, params.inboxId, params.messageId, {kind: 'bounce', ...body}));
	});

	routes.add(bounceOperations.complain, async ({user, params, body}) => {
		return bounceBody(await bounces.create(user, params.inboxId, params.messageId, {kind: 'complaint', ...body}));
	});

	routes.add(bounceOperations.autoreply, async ({user, params, body}) => {
		return bounceBody(await bounces.create(user, params.inboxId, params.messageId, {kind: 'autoreply', ...body}));
	});
}

function bounceBody({kind, sender, recipients, status, to, messageId}: SentBounce): BounceBody {
	return {kind, sender, recipients, status: kind === 'bounce' ? status : null, to, message_id: messageId};
}
