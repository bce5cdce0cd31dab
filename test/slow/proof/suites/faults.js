import {Client} from '../client.js';
import {probabilities, seeds} from '../faults/random-rule.js';
import {World} from '../faults/world.js';
import {randomBelow} from '../random.js';
import {RawSmtp} from '../raw-smtp.js';

/** Occasions whose draws are learned: more than any rule sees here under one key. */
const learned = 500;

/** Of one world, most of them. */
const sessionsPerWorld = 20;

/** How far what was drawn may be from what was asked for, over all that was learned. */
const tolerance = 0.1;

/** How long two seconds may take, and what clocks may differ by. */
const ratePatienceMs = 20_000;
const earlyMs = 2;

/**
 * Sessions under random rules of inboxes and of the daemon, compared with a model, reply by reply: what is told, when the
 * connection ends, and in the end what is stored, counted and noted. Worlds of their own rules are proved side by side;
 * every fourth is alone, with rules for all connections.
 * @param {import('../start.js').Proven} daemon
 * @param {{sessions?: number, seed?: number, atOnce?: number, progress?: (text: string) => void}} options
 */
export async function meetFaults(daemon, {sessions = 160, seed = 1, atOnce = 8, progress = () => {}} = {}) {
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
		// The newest hits of a user are kept, and all of these are looked at.
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
 * What is wrong with a rate over time, or nothing: somebody who never stops asking is let through again as soon as those are
 * long enough ago that were let through, and no sooner.
 * @param {import('../start.js').Proven} daemon
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
		if (session.heard.trimEnd().split('\n').at(-1)?.startsWith('250')) {
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
 * Has a rule with each seed and probability meet the same occasions, one after the other: the same sequence must come
 * each time, wherever such a rule is.
 * @param {import('../start.js').Proven} daemon
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
			await session.send(`MAIL FROM:<proof@sender.test>\r\nRCPT TO:<${inbox.address}>\r\nRSET\r\n`.repeat(learned));
			await session.replies(2 + 3 * learned);
			await session.quit();
			const sequence = [...session.heard.matchAll(/^(250 2\.1\.5|451) /gm)].map(([, code]) => code === '451');
			sequences.set(`${seed} ${probability}`, sequence);
			acted += sequence.filter(Boolean).length;
			await client.json('DELETE', `/inboxes/${inbox.id}`);
		}

		far = Math.max(far, Math.abs(acted / (learned * seeds.length) - probability));
	}

	return {
		isFair: far < tolerance,
		draws: (/** @type {number} */ seed, /** @type {number} */ probability, /** @type {number} */ n) =>
			sequences.get(`${seed} ${probability}`)?.[n - 1] ?? false,
	};
}
