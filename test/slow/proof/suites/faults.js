import {Client} from '../client.js';
import {probabilities, seeds} from '../faults/random-rule.js';
import {World} from '../faults/world.js';
import {randomBelow} from '../random.js';
import {RawSmtp} from '../raw-smtp.js';

/** Length of the recorded random sequences: more than any rule uses for one key. */
const sequenceLength = 500;

const sessionsPerWorld = 20;

/** Maximum difference between the observed and the configured probability. */
const tolerance = 0.1;

/** Timeout of the rate test, and tolerance of clocks. */
const ratePatienceMs = 20_000;
const earlyMs = 2;

/**
 * Plays sessions under random faults of inboxes and of the daemon, and compares each reply, disconnect, stored message, count
 * and hit with a model. Worlds with different rules run in parallel; every fourth runs alone, with rules for all connections.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {{sessions?: number, seed?: number, atOnce?: number, progress?: (text: string) => void}} options
 */
export async function verifyFaults(daemon, {sessions = 160, seed = 1, atOnce = 8, progress = () => {}} = {}) {
	const client = await Client.of(daemon);
	const operator = new Client(daemon.url, {authorization: `Bearer ${daemon.operatorToken}`});
	const {draws, isFair} = await learnDraws(daemon, client);
	const problems = [!isFair && 'draws are far from their probability', await rateProblem(daemon, client)].filter(
		Boolean,
	);
	problems.forEach(problem => void progress(String(problem)));
	const found = {sessions: 0, mails: 0, hits: 0, stored: 0, deviations: problems.length};
	await daemon.report();
	/** @param {number} number */
	const prove = async number => {
		const random = randomBelow(seed * 1_000_003 + number);
		// A separate user per world, since a user only keeps the newest hits.
		const own = await Client.of(daemon);
		const world = new World(number, {random, draws, client: own, operator, isAlone: isAlone(number)});
		try {
			await world.prove(daemon.smtp, Math.min(sessionsPerWorld, sessions - number * sessionsPerWorld));
		} catch (error) {
			found.deviations++;
			progress(`world ${number} of seed ${seed}: ${error instanceof Error ? error.message : error}`);
		} finally {
			own.close();
		}

		for (const key of /** @type {const} */ (['sessions', 'mails', 'hits', 'stored'])) {
			found[key] += world.found[key];
		}
	};
	const worlds = Array.from({length: Math.ceil(sessions / sessionsPerWorld)}, (_, number) => number);
	const together = worlds.filter(number => !isAlone(number));
	await Promise.all(
		Array.from({length: atOnce}, async () => {
			for (let next = together.pop(); next !== undefined; next = together.pop()) {
				await prove(next);
			}
		}),
	);
	for (const number of worlds.filter(isAlone)) {
		await prove(number);
	}

	client.close();
	operator.close();
	const {errors, stalls, longestMs} = await daemon.report();
	return {...found, errors: errors.length, stalls, longestMs: Math.round(longestMs)};
}

/** @param {number} world */
function isAlone(world) {
	return world % 4 === 3;
}

/**
 * Checks a rate over time: a client that retries constantly is accepted again when earlier accepted attempts leave the window,
 * and not before. Returns a problem or an empty text.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {Client} client
 */
async function rateProblem({smtp}, client) {
	const inbox = await client.createInbox();
	const rate = {count: 2, seconds: 1};
	await client.json('POST', `/inboxes/${inbox.id}/faults`, {stage: 'rcpt', rate});
	const session = new RawSmtp(smtp);
	await session.replies(1);
	await session.send('EHLO rates.test\r\nMAIL FROM:<proof@sender.test>\r\n');
	await session.replies(3);
	/** @type {Array<{sentAt: number, answeredAt: number}>} */
	const passed = [];
	const startedAt = performance.now();
	while (passed.length < 6 && performance.now() - startedAt < ratePatienceMs && !session.socket.closed) {
		const before = session.count();
		const sentAt = performance.now();
		await session.send(`RCPT TO:<${inbox.address}>\r\n`);
		await session.replies(before + 1);
		if (session.received.trimEnd().split('\n').at(-1)?.startsWith('250')) {
			passed.push({sentAt, answeredAt: performance.now()});
		}
	}

	await session.quit();
	await client.json('DELETE', `/inboxes/${inbox.id}`);
	const isEarly = passed.some(({answeredAt}, index) => {
		const before = passed[index - rate.count];
		return before && answeredAt - before.sentAt < rate.seconds * 1000 - earlyMs;
	});
	return passed.length < 6 ? `a rate let ${passed.length} through` : isEarly ? 'a rate let somebody through early' : '';
}

/**
 * Records the random sequence for each seed and probability. Rules with the same values must follow the same sequence.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {Client} client
 */
async function learnDraws({smtp}, client) {
	/** @type {Map<string, readonly boolean[]>} */
	const sequences = new Map();
	let far = 0;
	for (const probability of probabilities) {
		let acted = 0;
		for (const seed of seeds) {
			const inbox = await client.createInbox();
			await client.json('POST', `/inboxes/${inbox.id}/faults`, {
				stage: 'rcpt',
				reply: '451 4.0.0 Drawn',
				probability,
				seed,
			});
			const session = new RawSmtp(smtp);
			await session.replies(1);
			await session.send('EHLO draws.test\r\n');
			await session.send(
				`MAIL FROM:<proof@sender.test>\r\nRCPT TO:<${inbox.address}>\r\nRSET\r\n`.repeat(sequenceLength),
			);
			await session.replies(2 + 3 * sequenceLength);
			await session.quit();
			const sequence = [...session.received.matchAll(/^(250 2\.1\.5|451) /gm)].map(([, code]) => code === '451');
			sequences.set(`${seed} ${probability}`, sequence);
			acted += sequence.filter(Boolean).length;
			await client.json('DELETE', `/inboxes/${inbox.id}`);
		}

		far = Math.max(far, Math.abs(acted / (sequenceLength * seeds.length) - probability));
	}

	return {
		isFair: far < tolerance,
		draws: (/** @type {number} */ seed, /** @type {number} */ probability, /** @type {number} */ n) =>
			sequences.get(`${seed} ${probability}`)?.[n - 1] ?? false,
	};
}
