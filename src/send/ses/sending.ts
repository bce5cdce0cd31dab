import type {SesProtocol} from './problems.js';
import type {SendEmailFields, SesSending} from './schemas.js';

/** What SES does that is not done here. */
const notDone = [
	{
		field: 'FromEmailAddressIdentityArn',
		name: {v1: 'SourceArn', v2: 'FromEmailAddressIdentityArn'},
		reason: 'tinbox does not check sending authorization',
	},
	{
		field: 'FeedbackForwardingEmailAddressIdentityArn',
		name: {v1: 'ReturnPathArn', v2: 'FeedbackForwardingEmailAddressIdentityArn'},
		reason: 'tinbox does not check sending authorization',
	},
	{
		field: 'EndpointId',
		name: {v1: 'EndpointId', v2: 'EndpointId'},
		reason: 'tinbox has no regions',
	},
	{
		field: 'ListManagementOptions',
		name: {v1: 'ListManagementOptions', v2: 'ListManagementOptions'},
		reason: 'tinbox has no contact lists and adds no List-Unsubscribe header',
	},
] as const;

/** What requests have in common, for one mail or for many. */
export type AskedSending = SesSending & Partial<Pick<SendEmailFields, 'ListManagementOptions'>>;

/** Sentences about what a request asks for and is not done. */
export function warnOfSending(fields: AskedSending, protocol: SesProtocol): string[] {
	return notDone
		.filter(({field}) => fields[field] !== undefined)
		.map(({name, reason}) => `"${name[protocol]}" has no effect: ${reason}.`);
}

/** What is kept of a request though nothing follows from it. */
export function metadataOf({
	ConfigurationSetName,
	TenantName,
}: Pick<SesSending, 'ConfigurationSetName' | 'TenantName'>): Record<string, string> {
	return {
		...(ConfigurationSetName !== undefined && {ConfigurationSetName}),
		...(TenantName !== undefined && {TenantName}),
	};
}
