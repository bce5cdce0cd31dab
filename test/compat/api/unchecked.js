/** Checks of schemathesis that are switched off, each for single operations and for a reason. */
const positive = 'positive_data_acceptance';

/** @type {ReadonlyArray<{operations: readonly string[], check: string, reason: string}>} */
const unchecked = [
	{operations: ['acceptInvite'], check: positive, reason: 'an unknown token must be refused (400)'},
	{operations: ['removeMember'], check: positive, reason: 'the owner of a team must stay (400)'},
	{
		operations: ['updateInbox'],
		check: 'ensure_resource_availability',
		reason: 'that the caller is not in the team that the inbox is given to is a 404, too',
	},
	{
		operations: ['bounceMessage', 'complainAboutMessage', 'autoreplyToMessage'],
		check: 'ensure_resource_availability',
		reason: 'that no inbox has the address of the sender is a 404, too',
	},
	{
		operations: ['listMessages', 'listInboxFaults', 'listInboxFaultHits'],
		check: 'use_after_free',
		reason: 'what is deleted at their address is what an inbox has: the list is there, and empty',
	},
	{
		operations: ['sendMail'],
		check: 'ignored_auth',
		reason:
			'as by SMTP, mail is taken from everybody unless the daemon is told otherwise: a key only says where it goes',
	},
];

/** By operation. */
export const uncheckedOf = [...new Set(unchecked.flatMap(({operations}) => operations))].map(operation => ({
	operation,
	checks: unchecked.filter(({operations}) => operations.includes(operation)).map(({check}) => check),
}));
