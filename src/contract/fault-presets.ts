import type {CreateFault} from './faults.js';

type FaultPreset = {
	/** What goes wrong, and until when, as it follows the name in a table. */
	readonly description: string;
	readonly fault: Omit<CreateFault, 'name'>;
};

/** Faults by the names that people call them by. Each lasts until it is deleted, unless it is said how often it acts. */
export const faultPresets = {
	greylist: {
		description: 'the first try for each recipient is refused, the next one taken',
		fault: {stage: 'rcpt', reply: '451 4.7.1 Greylisted, try again later', times: 1, per: 'recipient'},
	},
	'rate-limit': {
		description: 'more than 10 recipients a minute are refused',
		fault: {stage: 'rcpt', rate: {count: 10, seconds: 60}},
	},
	'mailbox-full': {
		description: 'there is no room, for now',
		fault: {stage: 'rcpt', reply: '452 4.2.2 Mailbox full'},
	},
	'unknown-user': {
		description: 'there is no such recipient, for good',
		fault: {stage: 'rcpt', reply: '550 5.1.1 No such user'},
	},
	tarpit: {
		description: 'each recipient is answered by one byte a second',
		fault: {stage: 'rcpt', byte_delay_ms: 1000},
	},
	'drop-mid': {
		description: "the connection ends in the middle of the mail's data, and nothing is kept",
		fault: {stage: 'data', drop: 'mid'},
	},
	'drop-after-commit': {
		description: 'the mail is kept, and the connection ends without a reply: who tries again sends it twice',
		fault: {stage: 'end', drop: 'after_commit'},
	},
	'auth-fail': {
		description: 'the right password is refused, too',
		fault: {stage: 'auth', reply: '535 5.7.8 Authentication failed'},
	},
	'tls-fail': {
		description: 'STARTTLS is refused (for the whole daemon only)',
		fault: {stage: 'starttls', reply: '454 4.7.0 TLS is not available now'},
	},
} as const satisfies Readonly<Record<string, FaultPreset>>;

/** The names of all presets. */
export const presetNames = Object.keys(faultPresets);

/** What to create for a preset, under its name; undefined for a name that is none. */
export function presetFault(name: string): CreateFault | undefined {
	const preset = Object.entries(faultPresets).find(([known]) => known === name)?.[1];
	return preset && {...preset.fault, name};
}
