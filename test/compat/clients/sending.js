/**
 * Run by `tinbox run`: SDKs in other languages send the mails of `test/unit/send/conformance`. Each stored message is compared
 * field by field with its mail.
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {text} from 'node:stream/consumers';
import {isDeepStrictEqual} from 'node:util';
import {createClient} from '../../../dist/client.js';
import {mails} from '../../unit/send/conformance/requested-mails.js';
import {expressible} from '../../unit/send/conformance/sdk-limits.js';
import {expectedMessage, normalizedMessage} from '../../unit/send/conformance/stored-mail.js';
import {sendingPrograms} from './sending-programs.js';

/**
 * @typedef {import('./sending-programs.js').SendingProgram} SendingProgram
 * @typedef {import('../../unit/send/conformance/requested-mails.js').RequestedMail} RequestedMail
 */

const {inboxes, messages} = createClient();
const {TINBOX_URL = ''} = process.env;
const names = process.argv.slice(2);
let isFine = true;
for (const name of names.length > 0 ? names : Object.keys(sendingPrograms)) {
	const program = sendingPrograms[name];
	if (!program) {
		throw new Error(`There is no program "${name}". There are: ${Object.keys(sendingPrograms).join(', ')}.`);
	}

	await testProgram(name, program);
}

process.exitCode = isFine ? 0 : 1;

/**
 * Sends all mails with the program and prints the result.
 * @param {string} name
 * @param {SendingProgram} program
 */
async function testProgram(name, {provider, limits, without = [], shown = mail => mail, prepare}) {
	let command;
	try {
		command = prepare();
	} catch (error) {
		console.log(`${name}: skipped: ${String(error).split('\n').slice(0, 2).join(' ')}`);
		return;
	}

	const asked = mails.filter(({title}) => !without.includes(title)).map(mail => expressible(mail, limits));
	const inbox = await inboxes.create();
	const {send_key: key} = await inboxes.credentials(inbox.id);
	const url = `${TINBOX_URL.replace(/\/v1$/, '')}/send/${provider}`;
	const problems = await results(command, {url, key, mails: asked});
	const stored = (await messages.list(inbox.id, {limit: 100})).toReversed();
	let equal = 0;
	for (const [index, mail] of asked.entries()) {
		const problem = problems[index] ?? (await difference(inbox.id, stored.shift()?.id, shown(mail)));
		if (problem === null) {
			equal += 1;
		} else {
			isFine = false;
			console.log(`${name}, ${mail.title}: FAILED: ${problem}`);
		}
	}

	console.log(`${name}: ${equal} of ${asked.length} mails shown as expected`);
	await inboxes.delete(inbox.id);
}

/**
 * The reason why each mail could not be sent; null for success.
 * @param {readonly string[]} command
 * @param {object} input
 * @returns {Promise<ReadonlyArray<string | null>>}
 */
async function results([command = '', ...args], input) {
	const child = spawn(command, args, {stdio: ['pipe', 'pipe', 'inherit']});
	child.stdin.end(JSON.stringify(input));
	const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
	return output
		.trim()
		.split('\n')
		.map(line => JSON.parse(line));
}

/**
 * Differences between the stored message and the mail; null if there are none.
 * @param {string} inboxId
 * @param {string | undefined} id
 * @param {RequestedMail} asked
 */
async function difference(inboxId, id, asked) {
	if (id === undefined) {
		return 'it was not stored';
	}

	const reader = {
		attachment: (/** @type {string} */ attachmentId) => messages.attachment(inboxId, id, attachmentId),
		request: () => messages.request(inboxId, id),
	};
	const shown = await normalizedMessage(await messages.get(inboxId, id), reader, asked);
	const expected = expectedMessage(asked);
	const fields = /** @type {Array<keyof typeof expected>} */ (Object.keys(expected));
	const wrong = fields.filter(field => !isDeepStrictEqual(shown[field], expected[field]));
	const sentences = wrong.map(
		field =>
			`${field} is ${JSON.stringify(shown[field]).slice(0, 300)}, not ${JSON.stringify(expected[field]).slice(0, 300)}`,
	);
	return wrong.length === 0 ? null : sentences.join('; ');
}
