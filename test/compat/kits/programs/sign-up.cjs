const {equal} = require('node:assert/strict');
const {randomInt} = require('node:crypto');
const {appendFileSync} = require('node:fs');
const {createTransport} = require('nodemailer');

const {KITS_TESTS: count = '1', KITS_MODE: mode = 'own', KITS_LOG: log = ''} = process.env;

/** @typedef {import('tinbox/vitest').TestInbox} TestInbox */

/** Tests in a row that have the same kind of inbox, where both are compared. */
const blockLength = 25;

/** The names of the tests, and whether each has an inbox of its own: all, none (`shared`), or block by block (`both`). */
exports.plan = Array.from({length: Number(count)}, (_, index) => ({
	name: `sign-up ${index}`,
	isOwn: mode === 'own' || (mode === 'both' && Math.floor(index / blockLength) % 2 === 0),
}));

/**
 * A test: a mail with a code goes to the inbox, and is the only one there if that belongs to the test. Notes when it began.
 * @param {() => Promise<TestInbox>} open
 * @param {{readonly isOwn: boolean}} test
 */
exports.signUp = async (open, {isOwn}) => {
	const at = performance.timeOrigin + performance.now();
	const inbox = await open();
	const code = String(randomInt(100_000, 1_000_000));
	const {smtp, address} = inbox;
	const sender = createTransport({host: smtp.host, port: smtp.port, ignoreTLS: true});
	await sender.sendMail({from: 'shop@shop.example', to: address, subject: code, text: `Your code is ${code}.`});
	equal(await inbox.code({subject: code}, {timeoutMs: 20_000}), code);
	if (mode !== 'both') {
		equal((await inbox.messages()).length, 1);
	}

	appendFileSync(log, `${JSON.stringify({at, isOwn})}\n`);
};

/** Makes an inbox for all tests of this process. */
exports.sharedInbox = () => {
	/** @type {Promise<TestInbox> | undefined} */
	let made;
	return (/** @type {import('tinbox/vitest').Tinbox} */ tinbox) => {
		made ??= tinbox.createInbox('shared');
		return made;
	};
};
