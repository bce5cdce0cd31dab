import {z} from 'zod';
import {ApiError} from '../../client/errors.js';
import {AppError} from '../../domain/errors.js';
import {tool} from '../tool.js';

/** Seconds after which an inbox goes that nobody deleted, unless it is said: what agents forget is not kept for good. */
const defaultTtl = 86_400;

/** An argument that names an inbox. */
export const inboxArgument = z.string().describe('id, address or name');

export const inboxTools = [
	tool({
		name: 'create_inbox',
		description:
			'Create an inbox for one test. Make the app send to its address, then call get_code, get_link or wait_for_message.',
		input: z.strictObject({
			name: z.string().optional(),
			address: z.string().optional().describe('full address (default random)'),
			ttl: z.int().optional().describe('lifetime in seconds (default 1 day)'),
		}),
		output: z.object({
			id: z.string(),
			address: z.string(),
			expires_at: z.string(),
			smtp_url: z.string().optional().describe('SMTP login: all mail sent with it arrives here'),
		}),
		annotations: {destructiveHint: false, openWorldHint: false},
		async run({name, address, ttl = defaultTtl}, {client, inboxes}) {
			if (address?.startsWith('*')) {
				throw new AppError(
					'forbidden',
					`Agents cannot create the catch-all inbox "${address}". Use a single address, or ask the user to create the inbox and pass it with --inbox.`,
				);
			}

			const made = await client.inboxes.create({name, email_address: address, ttl}).catch(inArguments);
			inboxes.add(made);
			const {id, email_address, expires_at, smtp} = made;
			return {
				object: {id, address: email_address, expires_at: expires_at ?? '', ...(smtp && {smtp_url: smtp.url})},
			};
		},
	}),
	tool({
		name: 'delete_inbox',
		description: 'Delete an inbox that you created, with its mail, after the test.',
		input: z.strictObject({inbox: inboxArgument}),
		annotations: {idempotentHint: true, openWorldHint: false},
		async run({inbox}, {client, inboxes}) {
			const {id, email_address} = await inboxes.findOwn(inbox);
			await client.inboxes.delete(id).catch(doneIfNotFound);
			inboxes.remove(id);
			return `Deleted ${email_address} and its mail.`;
		},
	}),
] as const;

/** The API calls an address by another name, and takes more than one address. */
function inArguments(error: unknown): never {
	if (error instanceof ApiError && error.errors.some(({field}) => field === 'email_address')) {
		throw new AppError('invalid_input', '"address" must be one address, such as signup@example.com.');
	}

	throw error;
}

/** Its time may be over. */
function doneIfNotFound(error: unknown): void {
	if (!(error instanceof ApiError && error.status === 404)) {
		throw error;
	}
}
