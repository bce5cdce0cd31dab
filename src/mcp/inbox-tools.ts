import {z} from 'zod';
import {ApiError} from '../client/errors.js';
import {describeFault} from '../client/faults.js';
import {inboxFaultStages} from '../contract/constants.js';
import {describeFaultHit} from '../contract/descriptions.js';
import {presetFault, presetNames} from '../contract/fault-presets.js';
import {AppError} from '../domain/errors.js';
import {sanitizeLine} from '../lib/text/sanitize.js';
import {formatDuration} from '../lib/text/units.js';
import {untrustedLines} from './message-text.js';
import {inboxArgument, reportProgress, timeoutArgument, timeoutMsOf, tool} from './tool.js';

/** Default lifetime of an inbox in seconds: agents may forget to delete it. */
const defaultTtl = 86_400;

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

			const created = await client.inboxes.create({name, email_address: address, ttl}).catch(renameAddressField);
			inboxes.add(created);
			const {id, email_address, expires_at, smtp} = created;
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
			const {id, email_address} = await inboxes.findWritable(inbox);
			await client.inboxes.delete(id).catch(ignoreNotFound);
			inboxes.remove(id);
			return `Deleted ${email_address} and its mail.`;
		},
	}),
] as const;

/** Reports an invalid `email_address` under the name of the argument. */
function renameAddressField(error: unknown): never {
	if (error instanceof ApiError && error.errors.some(({field}) => field === 'email_address')) {
		throw new AppError('invalid_input', '"address" must be one address, such as signup@example.com.');
	}

	throw error;
}

/** The inbox may have expired. */
function ignoreNotFound(error: unknown): void {
	if (!(error instanceof ApiError && error.status === 404)) {
		throw error;
	}
}

/** Maximum number of hits in a result. */
const maxHits = 20;

/** Presets that apply to a single inbox. */
const inboxPresets = presetNames.filter(name => inboxFaultStages.some(stage => stage === presetFault(name)?.stage));

export const faultTools = [
	tool({
		name: 'add_fault',
		description: 'Simulate delivery failures for mail to an inbox that you created, to test how the app reacts.',
		input: z.strictObject({
			inbox: inboxArgument,
			preset: z.enum(inboxPresets),
			times: z.int().min(1).optional().describe('maximum number of hits (default depends on the preset)'),
		}),
		annotations: {destructiveHint: false, openWorldHint: false},
		extra: 'faults',
		async run({inbox, preset, times}, {client, inboxes}) {
			const {id, email_address} = await inboxes.findWritable(inbox);
			const fault = presetFault(preset);
			if (!fault) {
				throw new AppError('not_found', `Unknown preset "${preset}". Available: ${inboxPresets.join(', ')}.`);
			}

			const created = await client.faults.create(id, {...fault, ...(times !== undefined && {times})});
			return `Added "${preset}" to ${email_address}: ${sanitizeLine(describeFault(created))}.`;
		},
	}),
	tool({
		name: 'wait_for_fault',
		description: 'Wait for fault hits in an inbox, for example to prove that the app retries.',
		input: z.strictObject({
			inbox: inboxArgument,
			count: z.int().min(1).optional().describe('hits in total (default 1)'),
			timeout: timeoutArgument,
		}),
		annotations: {readOnlyHint: true},
		extra: 'faults',
		async run({inbox, count = 1, timeout}, call) {
			const {id, email_address} = await call.inboxes.find(inbox);
			const timeoutMs = timeoutMsOf(timeout);
			const hits = await reportProgress(call, timeoutMs, 'Not enough fault hits', () =>
				call.client.faults.wait(id, {count, timeoutMs, signal: call.signal}),
			);
			const missing = hits.length < count ? ` (expected ${count} within ${formatDuration(timeoutMs)})` : '';
			const lines = hits.slice(0, maxHits).map(hit => `${hit.time} ${describeFaultHit(hit)}`);
			return [
				`Fault hits in ${email_address}: ${hits.length}${missing}.`,
				...(hits.length === 0 ? [] : ['Newest first:', untrustedLines(lines)]),
			].join('\n');
		},
	}),
	tool({
		name: 'clear_faults',
		description: 'Delete the faults of an inbox that you created.',
		input: z.strictObject({inbox: inboxArgument}),
		annotations: {idempotentHint: true, openWorldHint: false},
		extra: 'faults',
		async run({inbox}, {client, inboxes}) {
			const {id, email_address} = await inboxes.findWritable(inbox);
			await client.faults.deleteAll(id);
			return `Deleted all faults of ${email_address}.`;
		},
	}),
] as const;
