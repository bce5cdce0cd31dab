import {z} from 'zod';
import {tool} from '../tool.js';

export const sendTools = [
	tool({
		name: 'send_mail',
		description: 'Send a mail inside tinbox, as an app would. It never leaves the daemon.',
		input: z.strictObject({
			from: z.string(),
			to: z.array(z.string()).min(1),
			subject: z.string().optional(),
			text: z.string().optional(),
			html: z.string().optional(),
		}),
		annotations: {destructiveHint: false, openWorldHint: false},
		extra: 'send',
		async run(mail, {client}) {
			const {message_ids: ids} = await client.messages.send(mail);
			return ids.length === 0
				? 'Accepted, but not stored: no inbox has these recipient addresses.'
				: `Sent. Stored as ${ids.length === 1 ? 'message' : 'messages'} ${ids.join(', ')}.`;
		},
	}),
] as const;
