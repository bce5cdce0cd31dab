/**
 * Rules of the server that no schema can express: the meaning of texts, the target of URLs, names that are already taken.
 *
 * @typedef {import('./operations.js').Operation} Operation
 *
 * @typedef {object} SemanticRule
 * @property {readonly string[]} operations
 * @property {RegExp} refusal matches each error of a response that rejects only for this rule: field and message
 * @property {string} reason
 */

/** @type {readonly SemanticRule[]} */
const semanticRules = [
	{
		operations: ['listMessages', 'listAllMessages', 'listMisses', 'getMessage'],
		refusal:
			/^(subject|from|to|contains|header|link) (has the unknown flag|is (not a valid|too large a) regular expression|must have 1 to)/,
		reason: 'texts may be regular expressions, and not every text is a valid one',
	},
	{
		operations: ['listMessages', 'listAllMessages', 'listMisses'],
		refusal: /^header must have at most/,
		reason: 'the value of a header field, whose name is in the same text, can be too long',
	},
	{
		operations: ['createFault', 'createInboxFault'],
		refusal:
			/^(match\.\w+ (has the unknown flag|is (not a valid|too large a) regular|is not available at stage)|reply (must be a 4xx|has the code|is required, unless)|stage cannot be|(drop|per) can(not)? be)/,
		reason: 'the effects of a fault depend on its stage, and it must have one',
	},
	{
		operations: ['createInbox'],
		refusal: /^(simulator requires the address| The address)/,
		reason: 'a simulator requires certain addresses, and an address belongs to one inbox',
	},
	{operations: ['createUser'], refusal: /^ The email .* is already taken/, reason: 'an address belongs to one user'},
	{
		operations: ['createEndpoint', 'updateEndpoint'],
		refusal:
			/^(url (names|points|must begin|must not contain)|secret must (begin|have base64)|events must be events of)/,
		reason: 'the target of a URL must be allowed, and events and secrets depend on the format',
	},
	{
		operations: ['putTemplate'],
		refusal: /^((subject|text|html) (?!must be )|fallback_values are supported| A template requires)/,
		reason: 'a template uses the syntax of its provider and has at least one text',
	},
	{
		operations: ['sendMail'],
		refusal:
			/^((from|to|cc|bcc|reply_to)(\.\d+)? (must (be an address|have at most)|is required, unless)|headers\..* (is set|must be a valid header))/s,
		reason: 'addresses and header fields follow RFC 5322, and some are set by other fields',
	},
	{
		operations: ['bounceMessage', 'complainAboutMessage', 'autoreplyToMessage'],
		refusal: /^(recipients names|to (points|names)| (The host of .* cannot be resolved|.* did not accept the mail):)/s,
		reason: 'recipients must be recipients of the message, and the server must accept mail',
	},
];

/**
 * The replacement for a request that was rejected only by semantic rules: without the rejected query parameters, and with
 * values of the document's example for the rejected body fields. Undefined for other requests. A replacement may be
 * rejected again, since a response lists a limited number of errors.
 * @template {{path: string, body: Buffer, headers: object}} Asked
 * @param {Operation | undefined} operation
 * @param {Asked} asked
 * @param {{status: number | undefined, bytes: Buffer}} answer
 */
export function replacementFor(operation, asked, {status = 0, bytes}) {
	const rules = semanticRules.filter(({operations}) => operations.includes(operation?.operationId ?? ''));
	if (!operation || rules.length === 0 || status < 400 || status === 401) {
		return undefined;
	}

	/** @type {{detail: string, errors?: readonly {field: string, message: string}[]}} */
	const {detail, errors = [{field: '', message: detail}]} = JSON.parse(String(bytes));
	const isSemantic = errors.every(({field, message}) => rules.some(({refusal}) => refusal.test(`${field} ${message}`)));
	if (!isSemantic) {
		return undefined;
	}

	const refused = new Set(errors.map(({field}) => field.replace(/\..*/s, '')));
	return {...asked, path: withoutParameters(asked.path, refused), ...replacedBody(operation, asked, refused)};
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
 * Replaces rejected fields by fields of the example, or the whole body if it was rejected as such.
 * @param {Operation} operation
 * @param {{body: Buffer, headers: object}} asked
 * @param {ReadonlySet<string>} refused
 */
function replacedBody(operation, {body, headers}, refused) {
	const example = exampleOf(operation);
	if (!example) {
		return {};
	}

	const isRefused = (/** @type {[string, unknown]} */ [field]) => refused.has('') || refused.has(field);
	const kept = refused.has('') ? [] : Object.entries(JSON.parse(String(body))).filter(entry => !isRefused(entry));
	const valid = Object.entries(example).filter(isRefused);
	return {
		body: Buffer.from(JSON.stringify(Object.fromEntries([...kept, ...valid]))),
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
