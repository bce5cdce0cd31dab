/**
 * Provider-independent mails. Tests send each mail through each provider.
 *
 * @typedef {{readonly name: string, readonly address: string}} Person `name` is empty for none
 * @typedef {{readonly name: string | null, readonly value: string}} Tag
 *
 * @typedef {object} RequestedFile
 * @property {string} filename
 * @property {string} contentType
 * @property {string} content in Base64
 * @property {string | null} contentId of a picture in the HTML
 *
 * @typedef {object} RequestedMail
 * @property {string} title
 * @property {Person} from
 * @property {readonly Person[]} to
 * @property {readonly Person[]} cc
 * @property {readonly string[]} bcc
 * @property {readonly Person[]} replyTo
 * @property {string} subject
 * @property {string | null} text
 * @property {string | null} html
 * @property {readonly RequestedFile[]} files
 * @property {Readonly<Record<string, string>>} headers
 * @property {readonly Tag[]} tags
 * @property {Readonly<Record<string, string>>} metadata
 * @property {{readonly id: string, readonly data: Readonly<Record<string, unknown>>} | null} template not registered
 */

/**
 * @param {string} address
 * @param {string} [name]
 * @returns {Person}
 */
const person = (address, name = '') => ({name, address});

/**
 * @param {string} filename
 * @param {string} contentType
 * @param {string | Buffer} content
 * @param {string | null} [contentId]
 * @returns {RequestedFile}
 */
const file = (filename, contentType, content, contentId = null) => ({
	filename,
	contentType,
	content: Buffer.from(content).toString('base64'),
	contentId,
});

/** All byte values, repeated. */
const anyBytes = Buffer.from(Array.from({length: 20_000}, (_, index) => (index * 7 + (index >> 8)) % 256));

/** A PNG image of one pixel. */
const pixel = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

const calendar = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//shop//EN\r\nEND:VCALENDAR\r\n';

const guests = Array.from({length: 20}, (_, index) => person(`guest-${index}@example.org`, `Guest ${index}`));

/** @type {Omit<RequestedMail, 'title'>} */
const plain = {
	from: person('shop@shop.example', 'The shop'),
	to: [person('ann@example.org', 'Ann')],
	cc: [],
	bcc: [],
	replyTo: [],
	subject: 'Your order',
	text: 'Thank you for your order.',
	html: null,
	files: [],
	headers: {},
	tags: [],
	metadata: {},
	template: null,
};

/** Differences to `plain` by title. @type {Readonly<Record<string, Partial<RequestedMail>>>} */
const differences = {
	'plain text': {},
	'only HTML': {text: null, html: '<h1>Thank you</h1>\n<p>for your <b>order</b>.</p>'},
	'text and HTML': {html: '<p>Thank you for your order.</p>'},
	'no names': {from: person('shop@shop.example'), to: [person('ann@example.org')]},
	'names with commas, quotes and brackets': {
		from: person('shop@shop.example', 'Shop, Inc. (EU) "Fast"'),
		to: [person('ann@example.org', 'Lee, Ann'), person('bob@example.org', "O'Neil; Bob")],
	},
	'names in other scripts': {
		from: person('shop@shop.example', 'Zoë’s Café'),
		to: [person('ann@example.org', '山田 花子'), person('bob@example.org', 'Łukasz Żółć 🎉')],
	},
	'a subject in other scripts': {subject: `Größe, ціна, السعر, 価格, 🎁: ${'ありがとうございます。'.repeat(8)}`},
	'text in other scripts': {text: 'Grüße, Привет, שלום, مرحبا, こんにちは, 👩‍👩‍👧‍👦 é é\n\tand a tab.'},
	'HTML in other scripts': {text: null, html: '<p title="ñ">Grüße &amp; Привет, שלום, こんにちは 👩‍👩‍👧‍👦 &lt;3</p>'},
	'long lines': {text: `${'word '.repeat(600)}\n${'x'.repeat(3000)}\nend`, html: `<p>${'word '.repeat(600)}</p>`},
	'dots and From at the start of lines': {text: '.\n..two\n.three\nFrom here\n\n\n--\n> quoted\n  indented'},
	'a large text': {text: 'It is a long story: a line of it has some length.\n'.repeat(8000).trimEnd()},
	'twenty recipients': {to: guests},
	'a copy': {cc: [person('bob@example.org', 'Bob'), person('cleo@example.org')]},
	'a blind copy': {bcc: ['secret@example.org']},
	'all kinds of recipients': {
		to: guests.slice(0, 5),
		cc: guests.slice(5, 8),
		bcc: ['one@example.org', 'two@example.org'],
	},
	'a reply-to address': {replyTo: [person('help@shop.example', 'Help')]},
	'two reply-to addresses': {replyTo: [person('help@shop.example', 'Help'), person('sales@shop.example')]},
	'custom headers': {
		headers: {
			'X-Order': '4711',
			'List-Unsubscribe': '<https://shop.example/leave?a=b>',
			'In-Reply-To': '<1@shop.example>',
		},
	},
	'a long header in another script': {headers: {'X-Note': `Grüße aus ${'der Straße '.repeat(15)}.`}},
	'a file': {files: [file('notes.txt', 'text/plain', 'Not in the text.\nTwo lines.')]},
	'a binary file': {files: [file('data.dat', 'application/octet-stream', anyBytes)]},
	'three files': {
		html: '<p>Thank you.</p>',
		files: [
			file('invoice.pdf', 'application/pdf', '%PDF-1.4\n%âãÏÓ'),
			file('prices.csv', 'text/csv', 'thing;price\n"Größe";3,50\n'),
			file('date.ics', 'text/calendar', calendar),
		],
	},
	'file names in other scripts and with special characters': {
		files: [
			file('Rechnung März (2) – 価格.pdf', 'application/pdf', '%PDF-1.4'),
			file("a; b=c, 'd' & e%20f.txt", 'text/plain', 'x'),
		],
	},
	'a large file': {files: [file('large.dat', 'application/octet-stream', Buffer.alloc(1_500_000, anyBytes))]},
	'an inline image': {
		html: '<p>Look: <img src="cid:logo.png"></p>',
		files: [file('logo.png', 'image/png', pixel, 'logo.png')],
	},
	'inline images and a file': {
		html: '<p><img src="cid:logo.png"><img src="cid:other.png"></p>',
		files: [
			file('logo.png', 'image/png', pixel, 'logo.png'),
			file('other.png', 'image/png', pixel, 'other.png'),
			file('notes.txt', 'text/plain', 'Not in the text.'),
		],
	},
	tags: {
		tags: [
			{name: 'category', value: 'welcome'},
			{name: 'test', value: 'b'},
		],
	},
	metadata: {metadata: {order: '4711', 'customer-id': 'c_1', city: 'Köln 東京'}},
	'a template': {
		text: null,
		template: {
			id: 'd-welcome',
			data: {name: 'Ann "A" Ödön', code: '123456', total: 3, items: [{sku: 'a'}, {sku: 'b'}]},
		},
	},
};

/** @type {readonly RequestedMail[]} */
export const mails = Object.entries(differences).map(([title, difference]) => ({title, ...plain, ...difference}));
