import {z} from 'zod';
import {describeFault} from '../../client/fault-words.js';
import {inboxFaultStages} from '../../contract/constants.js';
import {describeFaultHit} from '../../contract/descriptions.js';
import {presetFault, presetNames} from '../../contract/fault-presets.js';
import {AppError} from '../../domain/errors.js';
import {sanitizeLine} from '../../lib/text/sanitize.js';
import {formatDuration} from '../../lib/text/units.js';
import {tool} from '../tool.js';
import {toldLines} from '../words/message.js';
import {inboxArgument} from './inboxes.js';
import {tellingProgress, timeoutArgument, timeoutMsOf} from './wait.js';

/** Hits that are told of one by one. */
const maxHits = 20;

/** Those that an inbox can have. */
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
			const {id, email_address} = await inboxes.findOwn(inbox);
			const fault = presetFault(preset);
			if (!fault) {
				throw new AppError('not_found', `Unknown preset "${preset}". Available: ${inboxPresets.join(', ')}.`);
			}

			const made = await client.faults.create(id, {...fault, ...(times !== undefined && {times})});
			return `Added "${preset}" to ${email_address}: ${sanitizeLine(describeFault(made))}.`;
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
			const hits = await tellingProgress(call, timeoutMs, 'Not enough fault hits', () =>
				call.client.faults.wait(id, {count, timeoutMs, signal: call.signal}),
			);
			const missing = hits.length < count ? ` (expected ${count} within ${formatDuration(timeoutMs)})` : '';
			const told = hits.slice(0, maxHits).map(hit => `${hit.time} ${describeFaultHit(hit)}`);
			return [
				`Fault hits in ${email_address}: ${hits.length}${missing}.`,
				...(hits.length === 0 ? [] : ['Newest first:', toldLines(told)]),
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
			const {id, email_address} = await inboxes.findOwn(inbox);
			await client.faults.deleteAll(id);
			return `Deleted all faults of ${email_address}.`;
		},
	}),
] as const;
