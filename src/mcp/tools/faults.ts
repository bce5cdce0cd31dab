import {z} from 'zod';
import {describeFault} from '../../client/fault-words.js';
import {presetFault, presetNames} from '../../contract/fault-presets.js';
import {describeFaultHit, inboxFaultStages} from '../../contract/faults.js';
import {AppError} from '../../domain/errors.js';
import {sanitizeLine} from '../../lib/sanitize.js';
import {formatDuration} from '../../lib/units.js';
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
		description: 'Have mail to an inbox that you made go wrong on purpose, to see what the app does.',
		input: z.strictObject({
			inbox: inboxArgument,
			preset: z.enum(inboxPresets),
			times: z.int().min(1).optional().describe('how often, then it is over'),
		}),
		annotations: {destructiveHint: false, openWorldHint: false},
		extra: 'faults',
		async run({inbox, preset, times}, {client, inboxes}) {
			const {id, email_address} = await inboxes.findOwn(inbox);
			const fault = presetFault(preset);
			if (!fault) {
				throw new AppError('not_found', `There is no preset "${preset}". There are: ${inboxPresets.join(', ')}.`);
			}

			const made = await client.faults.create(id, {...fault, ...(times !== undefined && {times})});
			return `Added "${preset}" to ${email_address}: ${sanitizeLine(describeFault(made))}.`;
		},
	}),
	tool({
		name: 'wait_for_fault',
		description: 'Wait until faults of an inbox acted so often, such as to prove that the app tries again.',
		input: z.strictObject({inbox: inboxArgument, count: z.int().min(1).optional(), timeout: timeoutArgument}),
		annotations: {readOnlyHint: true},
		extra: 'faults',
		async run({inbox, count = 1, timeout}, call) {
			const {id, email_address} = await call.inboxes.find(inbox);
			const timeoutMs = timeoutMsOf(timeout);
			const hits = await tellingProgress(call, timeoutMs, 'Not yet', () =>
				call.client.faults.wait(id, {count, timeoutMs, signal: call.signal}),
			);
			const enough = hits.length < count ? `, ${count} were to come within ${formatDuration(timeoutMs)}` : '';
			const told = hits.slice(0, maxHits).map(hit => `${hit.time} ${describeFaultHit(hit)}`);
			return [
				`Faults of ${email_address} acted ${hits.length === 1 ? 'once' : `${hits.length} times`}${enough}.`,
				...(hits.length === 0 ? [] : ['The newest first:', toldLines(told)]),
			].join('\n');
		},
	}),
	tool({
		name: 'clear_faults',
		description: 'Delete the faults of an inbox that you made.',
		input: z.strictObject({inbox: inboxArgument}),
		annotations: {idempotentHint: true, openWorldHint: false},
		extra: 'faults',
		async run({inbox}, {client, inboxes}) {
			const {id, email_address} = await inboxes.findOwn(inbox);
			await client.faults.deleteAll(id);
			return `Nothing goes wrong at ${email_address} any more.`;
		},
	}),
] as const;
