/**
 * What a server knows of a request and no schema can say: what a text means, where an address leads, who has a name already.
 *
 * @typedef {import('./operations.js').Operation} Operation
 *
 * @typedef {object} Untold
 * @property {readonly string[]} operations
 * @property {RegExp} refusal each sentence of an answer that refuses for this alone: a field and what is wrong with it
 * @property {string} reason
 */

/** @type {readonly Untold[]} */
const untold = [
	{
		operations: ['listMessages', 'listAllMessages', 'listMisses', 'getMessage'],
		refusal:
			/^(subject|from|to|contains|header|link) (has the flag|is (not|too large) a regular expression|must have 1 to)/,
		reason: 'texts are regular expressions where they are asked to be, and not every text is one',
	},
	{
		operations: ['listMessages', 'listAllMessages', 'listMisses'],
		refusal: /^header must have at most/,
		reason: 'the value of a header field, of which a text tells the name, too, can be too long',
	},
	{
		operations: ['createFault', 'createInboxFault'],
		refusal:
			/^(match\.\w+ (has the flag|is (not|too large) a regular|is not known at stage)|reply (must be a code|has the code|is missing)|stage cannot be|(drop|per) can(not)? be)/,
		reason: 'what a fault can do depends on its stage, and it must do something',
	},
	{
		operations: ['createInbox'],
		refusal: /^(simulator is for an inbox| The address)/,
		reason: 'a simulator needs an address that fits, and an address is of one inbox',
	},
	{operations: ['createUser'], refusal: /^ There is a user/, reason: 'an address is of one user'},
	{
		operations: ['createEndpoint', 'updateEndpoint'],
		refusal: /^(url (names|leads|must begin|must not hold)|secret must (begin|continue)|events must be of those)/,
		reason: 'a URL leads somewhere, and events and secrets are those of a format',
	},
	{
		operations: ['putTemplate'],
		refusal: /^((subject|text|html) (?!must be )|fallback_values are known| A template needs)/,
		reason: 'a template is in the language of its provider, with at least one text',
	},
	{
		operations: ['sendMail'],
		refusal: /^((from|to|cc|bcc|reply_to)(\.\d+)? must (be an address|name)|headers\..* is (set|no header))/s,
		reason: 'addresses and header fields follow RFC 5322, not a pattern, and some are set by other fields',
	},
	{
		operations: ['bounceMessage', 'complainAboutMessage', 'autoreplyToMessage'],
		refusal: /^(recipients names|to (leads|names)| .* (is not found|did not take the mail):)/s,
		reason: 'recipients are of those of the message, and a server must be one that can be asked',
	},
];

/**
 * What is asked in place of a request that was refused for what is untold, and for that alone: without its query, and with the example
 * of the document as its body. Undefined for all others.
 * @template {{path: string, body: Buffer, headers: object}} Asked
 * @param {Operation | undefined} operation
 * @param {Asked} asked
 * @param {{status: number | undefined, bytes: Buffer}} answer
 */
export function instead(operation, asked, {status = 0, bytes}) {
	const refusals = untold.filter(({operations}) => operations.includes(operation?.operationId ?? ''));
	if (!operation || refusals.length === 0 || status < 400 || status === 401) {
		return undefined;
	}

	const {detail, errors = [{field: '', message: detail}]} = JSON.parse(String(bytes));
	const isUntold = errors.every((/** @type {{field: string, message: string}} */ {field, message}) =>
		refusals.some(({refusal}) => refusal.test(`${field} ${message}`)),
	);
	if (!isUntold) {
		return undefined;
	}

	const example = exampleOf(operation);
	const {path, body, headers} = asked;
	const type = {'content-type': 'application/json'};
	return {
		...asked,
		path: path.replace(/\?.*/s, ''),
		...(example ? {body: example, headers: {...headers, ...type}} : {body, headers}),
	};
}

/** @param {Operation} operation */
function exampleOf({operationId, requestBody}) {
	const example = requestBody?.content['application/json']?.example;
	const own = operationId === 'createUser' ? {email: `suite-${process.hrtime.bigint()}@localhost`} : {};
	return example === undefined ? undefined : Buffer.from(JSON.stringify({...example, ...own}));
}
