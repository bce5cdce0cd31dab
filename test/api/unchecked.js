/** Checks of schemathesis that are switched off, each for single operations and for a reason. */
const positive = 'positive_data_acceptance';

/** @type {ReadonlyArray<{operations: readonly string[], check: string, reason: string}>} */
const unchecked = [
	{operations: ['acceptInvite'], check: positive, reason: 'an unknown token must be refused'},
	{operations: ['removeMember'], check: positive, reason: 'the owner of a team must stay (400)'},
	{
		operations: ['listMessages', 'listAllMessages', 'listMisses', 'getMessage'],
		check: positive,
		reason: 'texts are regular expressions where they are asked to be, and not every text is one',
	},
	{
		operations: ['createFault', 'createInboxFault'],
		check: positive,
		reason: 'what a fault can do depends on its stage, and it must do something',
	},
	{operations: ['createInbox'], check: positive, reason: 'a simulator needs an address that fits'},
	{operations: ['createWebSessionLink'], check: positive, reason: 'a message is named with its inbox'},
	{
		operations: ['createEndpoint', 'updateEndpoint'],
		check: positive,
		reason: 'events depend on the format, and some URLs are refused for what they lead to',
	},
	{
		operations: ['putTemplate'],
		check: positive,
		reason: 'a template has at least one text, in the language of its provider, and a body has 1 MiB at most',
	},
	{operations: ['sendMail'], check: positive, reason: 'addresses and header fields follow RFC 5322, not a pattern'},
	{
		operations: ['bounceMessage', 'complainAboutMessage', 'autoreplyToMessage'],
		check: positive,
		reason: 'recipients are of those of the message, and a server must be one that can be asked',
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
