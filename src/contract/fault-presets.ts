import type {CreateFault} from './faults.js';

type FaultPreset = {
	/** Imperative, shown after the name in a table. */
	readonly description: string;
	readonly fault: Omit<CreateFault, 'name'>;
};

/** Predefined faults by name. Each acts until it is deleted, unless `times` limits it. */
export const faultPresets = {
	greylist: {
		description: 'reject the first attempt for each recipient, accept the next',
		fault: {stage: 'rcpt', reply: '451 4.7.1 Greylisted, try again later', times: 1, per: 'recipient'},
	},
	'rate-limit': {
		description: 'reject more than 10 recipients per minute',
		fault: {stage: 'rcpt', rate: {count: 10, seconds: 60}},
	},
	'mailbox-full': {
		description: 'reject recipients temporarily: mailbox full (452)',
		fault: {stage: 'rcpt', reply: '452 4.2.2 Mailbox full'},
	},
	'unknown-user': {
		description: 'reject recipients permanently: no such user (550)',
		fault: {stage: 'rcpt', reply: '550 5.1.1 No such user'},
	},
	tarpit: {
		description: 'answer each recipient at one byte per second',
		fault: {stage: 'rcpt', byte_delay_ms: 1000},
	},
	'drop-mid': {
		description: 'close the connection in the middle of the mail data; store nothing',
		fault: {stage: 'data', drop: 'mid'},
	},
	'drop-after-commit': {
		description: 'store the mail, then close the connection without a reply; a retry stores it again',
		fault: {stage: 'end', drop: 'after_commit'},
	},
	'auth-fail': {
		description: 'reject logins, even with the right password',
		fault: {stage: 'auth', reply: '535 5.7.8 Authentication failed'},
	},
	'tls-fail': {
		description: 'reject STARTTLS (only for the whole daemon)',
		fault: {stage: 'starttls', reply: '454 4.7.0 TLS is not available now'},
	},
} as const satisfies Readonly<Record<string, FaultPreset>>;

/** Names of all presets. */
export const presetNames = Object.keys(faultPresets);

/** Fault to create for a preset; undefined for an unknown name. */
export function presetFault(name: string): CreateFault | undefined {
	const preset = Object.entries(faultPresets).find(([known]) => known === name)?.[1];
	return preset && {...preset.fault, name};
}
