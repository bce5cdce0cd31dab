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
			/^(subject|from|to|contains|header|link) (has the unknown flag|is (not a valid|too large a) regular expression|must have 1 to)/,
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
			/^(match\.\w+ (has the unknown flag|is (not a valid|too large a) regular|is not available at stage)|reply (must be a 4xx|has the code|is required, unless)|stage cannot be|(drop|per) can(not)? be)/,
		reason: 'what a fault can do depends on its stage, and it must do something',
	},
	{
		operations: ['createInbox'],
		refusal: /^(simulator requires the address| The address)/,
		reason: 'a simulator needs an address that fits, and an address is of one inbox',
	},
	{operations: ['createUser'], refusal: /^ The email .* is already taken/, reason: 'an address is of one user'},
	{
		operations: ['createEndpoint', 'updateEndpoint'],
		refusal:
			/^(url (names|points|must begin|must not contain)|secret must (begin|have base64)|events must be events of)/,
		reason: 'a URL leads somewhere, and events and secrets are those of a format',
	},
	{
		operations: ['putTemplate'],
		refusal: /^((subject|text|html) (?!must be )|fallback_values are supported| A template requires)/,
		reason: 'a template is in the language of its provider, with at least one text',
	},
	{
		operations: ['sendMail'],
		refusal:
			/^((from|to|cc|bcc|reply_to)(\.\d+)? (must (be an address|have at most)|is required, unless)|headers\..* (is set|must be a valid header))/s,
		reason: 'addresses and header fields follow RFC 5322, not a pattern, and some are set by other fields',
	},
	{
		operations: ['bounceMessage', 'complainAboutMessage', 'autoreplyToMessage'],
		refusal: /^(recipients names|to (points|names)| (The host of .* cannot be resolved|.* did not accept the mail):)/s,
		reason: 'recipients are of those of the message, and a server must be one that can be asked',
	},
];

/**
 * What is asked in place of a request that was refused for what is untold, and for that alone: without the refused parameters of its
 * query, and with those of the document's example in place of the refused fields of its body. Undefined for all others. An answer
 * names so many wrong fields at most, so that what this asks can be refused for what is untold once more.
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

	/** @type {{detail: string, errors?: readonly {field: string, message: string}[]}} */
	const {detail, errors = [{field: '', message: detail}]} = JSON.parse(String(bytes));
	const isUntold = errors.every(({field, message}) =>
		refusals.some(({refusal}) => refusal.test(`${field} ${message}`)),
	);
	if (!isUntold) {
		return undefined;
	}

	const refused = new Set(errors.map(({field}) => field.replace(/\..*/s, '')));
	return {...asked, path: withoutParameters(asked.path, refused), ...bodyInstead(operation, asked, refused)};
}

/**
 * @param {string} path
 * @param {ReadonlySet<string>} refused
 */
function withoutParameters(path, refused) {
	const [before = '', query = ''] = path.split(/\?(.*)/s);
	const kept = query.split('&').filter(pair => !refused.has([...new URLSearchParams(pair).keys()][0] ?? ''));
	return `${before}?${kept.join('&')}`;
}

/**
 * The whole example where it is the body as such that was refused.
 * @param {Operation} operation
 * @param {{body: Buffer, headers: object}} asked
 * @param {ReadonlySet<string>} refused
 */
function bodyInstead(operation, {body, headers}, refused) {
	const example = exampleOf(operation);
	if (!example) {
		return {};
	}

	const isRefused = (/** @type {[string, unknown]} */ [field]) => refused.has('') || refused.has(field);
	const kept = refused.has('') ? [] : Object.entries(JSON.parse(String(body))).filter(entry => !isRefused(entry));
	const good = Object.entries(example).filter(isRefused);
	return {
		body: Buffer.from(JSON.stringify(Object.fromEntries([...kept, ...good]))),
		headers: {...headers, 'content-type': 'application/json'},
	};
}

/**
 * @param {Operation} operation
 * @returns {Record<string, unknown> | undefined}
 */
function exampleOf({operationId, requestBody}) {
	const example = requestBody?.content['application/json']?.example;
	const own = operationId === 'createUser' ? {email: `suite-${process.hrtime.bigint()}@localhost`} : {};
	return example && {...example, ...own};
}
