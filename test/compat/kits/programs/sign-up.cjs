const {equal} = require('node:assert/strict');
const {randomInt} = require('node:crypto');
const {appendFileSync} = require('node:fs');
const {createTransport} = require('nodemailer');

const {KITS_TESTS: count = '1', KITS_MODE: mode = 'own', KITS_LOG: log = ''} = process.env;

/** @typedef {import('tinbox/vitest').TestInbox} TestInbox */

/** Number of consecutive tests with the same kind of inbox in the mode `both`. */
const blockLength = 25;

/** Names of the tests, and whether each has its own inbox: all (`own`), none (`shared`) or alternating blocks (`both`). */
exports.plan = Array.from({length: Number(count)}, (_, index) => ({
	name: `sign-up ${index}`,
	isOwn: mode === 'own' || (mode === 'both' && Math.floor(index / blockLength) % 2 === 0),
}));

/**
 * Sends a mail with a code to the inbox and asserts that it is the only one, if the inbox belongs to the test. Logs the start time.
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

/** Returns a function that creates one inbox for all tests of this process. */
exports.sharedInbox = () => {
	/** @type {Promise<TestInbox> | undefined} */
	let made;
	return (/** @type {import('tinbox/vitest').Tinbox} */ tinbox) => {
		made ??= tinbox.createInbox('shared');
		return made;
	};
};
